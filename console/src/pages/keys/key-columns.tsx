import { Badge } from '../../parts/badge.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Meter } from '../../parts/meter.tsx';
import { NamedSecret } from '../../parts/named-secret.tsx';
import type { Say } from '../../text/say.ts';
import { type KeyView, stateTones } from './key-view.ts';
import type { keysTexts } from './texts.ts';

type KeyText = keyof (typeof keysTexts)['catalogues']['en'];

/** A management key spends nothing. */
export function keyColumns(
  t: Say<KeyText>,
  { tab, isAdmin }: { tab: 'gateway' | 'management'; isAdmin: boolean },
): Array<Column<KeyView>> {
  const calls = tab === 'gateway';
  return [
    {
      key: 'name',
      title: t('name'),
      cell: ({ name, hint }) => <NamedSecret name={name} hint={hint} />,
    },
    ...(isAdmin && calls
      ? [
          { key: 'kind', title: t('kind'), wide: true, cell: ({ kind }: KeyView) => t(kind) },
          {
            key: 'owner',
            title: t('owner'),
            wide: true,
            cell: ({ owner }: KeyView) => owner ?? '–',
          },
        ]
      : []),
    {
      key: 'state',
      title: t('state'),
      cell: ({ state }) => <Badge tone={stateTones[state]}>{t(state)}</Badge>,
    },
    ...(calls
      ? [
          {
            key: 'spent',
            title: t('spentLimit'),
            number: true,
            cell: ({ spent, month_limit }: KeyView) => <Meter spent={spent} limit={month_limit} />,
          },
        ]
      : []),
    { key: 'last_used_at', title: t('lastUsed'), as: 'ago', wide: true },
    { key: 'expires_at', title: t('expires'), as: 'moment', wide: true },
  ];
}

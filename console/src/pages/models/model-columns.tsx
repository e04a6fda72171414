import { SpaceLink } from '../../app/space-link.tsx';
import { Badge } from '../../parts/badge.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { partsTexts } from '../../parts/texts.ts';
import { groupDigits } from '../../parts/unit-amount.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { priceRows } from './model-prices.ts';
import style from './models.module.css';
import type { Model } from './models-page.tsx';
import { modelTexts } from './texts.ts';

export function useModelColumns(): ReadonlyArray<Column<Model>> {
  const t = useTexts(modelTexts);
  const p = useTexts(partsTexts);
  return [
    { key: 'code', title: t('code'), cell: ({ id }) => <code className={style.code}>{id}</code> },
    { key: 'prices', title: t('prices'), cell: ({ pricing }) => <Prices pricing={pricing} /> },
    {
      key: 'endpoints',
      title: t('endpoints'),
      wide: true,
      cell: ({ endpoints }) => <Codes words={endpoints} />,
    },
    {
      key: 'capabilities',
      title: t('capabilities'),
      wide: true,
      cell: ({ capabilities }) => (
        <span className={style.badges}>
          {capabilities.map((one) => (
            <Badge key={one} tone="quiet">
              {t(`can_${one}`)}
            </Badge>
          ))}
        </span>
      ),
    },
    { key: 'batch', title: t('batch'), cell: (model) => p(model.supports_batch ? 'yes' : 'no') },
    {
      key: 'try',
      title: t('playground'),
      cell: ({ id }) => (
        <SpaceLink page="playground" search={{ model: id }}>
          {t('try')}
          <span className="heard"> {id}</span>
        </SpaceLink>
      ),
    },
  ];
}

export function Codes({ words }: { words: readonly string[] }) {
  return (
    <span className={style.codes}>
      {words.map((word) => (
        <code key={word}>{word}</code>
      ))}
    </span>
  );
}

/** All prices in short; the drawer has them as a table. */
function Prices({ pricing }: { pricing: Model['pricing'] }) {
  const t = useTexts(modelTexts);
  if (pricing === null)
    return (
      <span className={style.unknown} title={t('unknownHint')}>
        {t('unknown')}
      </span>
    );
  const rows = priceRows(pricing);
  return (
    <span className={style.prices}>
      {rows.map(({ kind, choice, price }) => (
        <span key={`${kind} ${choice}`}>
          <span className={style.kind}>
            {t(kind)}
            {choice !== '' && ` ${choice ?? t('otherChoice')}`}
          </span>{' '}
          {groupDigits(price)}
        </span>
      ))}
      {pricing.per === '1000000_tokens' && <span className={style.kind}>{t('perMillion')}</span>}
    </span>
  );
}

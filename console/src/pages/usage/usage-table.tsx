/** The exact figures, each row with a link to its requests. */
import type { Search } from '../../addresses/search.ts';
import { SpaceLink } from '../../addresses/space-link.tsx';
import { useSpace } from '../../addresses/use-space.ts';
import type { Column } from '../../parts/data-table.tsx';
import { PlainTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { currentLanguage } from '../../text/language.ts';
import { rangeOfDay } from '../../text/month-days.ts';
import { useTexts } from '../../text/say.ts';
import { printCount } from '../../text/times.ts';
import type { MonthUsage } from './month-usage.ts';
import { usageTexts } from './texts.ts';
import style from './usage.module.css';

type Row = MonthUsage['rows'][number] & { readonly key: string };

/** How the API calls what the shared keys of a space used together. */
const SHARED = '(shared keys)';

export function useRowName(): (name: string) => string {
  const t = useTexts(usageTexts);
  return (name) => (name === SHARED ? t('sharedKeys') : name);
}

export function UsageTable({ report }: { report: MonthUsage }) {
  const t = useTexts(usageTexts);
  const space = useSpace();
  const columns = useColumns(report);
  if (report.rows.length === 0)
    return (
      <Empty
        title={t('none')}
        command={`tollgate usage --space ${space} --month ${report.month}`}
        text={t('noneText')}
      />
    );
  // The name of a revoked key can be used again, so that names repeat.
  const rows = report.rows.map((row, i) => ({ ...row, key: `${i} ${row.name}` }));
  return (
    <>
      <PlainTable
        caption={t(`by_${report.by}`)}
        columns={columns}
        rows={rows}
        rowKey={({ key }) => key}
        foot={<TotalRow report={report} />}
      />
      <p className={`hint ${style.note}`}>{t('clickHint')}</p>
    </>
  );
}

function useColumns(report: MonthUsage): ReadonlyArray<Column<Row>> {
  const t = useTexts(usageTexts);
  const nameOf = useRowName();
  const columns: Array<Column<Row>> = [
    {
      key: 'name',
      title: t(`name_${report.by}`),
      cell: ({ name, key_id: keyId }) => {
        const search = searchOf(report, { name, keyId });
        if (search === null) return nameOf(name);
        return (
          <SpaceLink page="requests" search={search} className={style.name}>
            {name}
          </SpaceLink>
        );
      },
    },
    { key: 'requests', title: t('requests'), as: 'count' },
  ];
  if (report.total.unpriced > 0) columns.push({ key: 'unpriced', title: t('unpriced'), as: 'count' });
  return [...columns, { key: 'cost', title: t('units'), as: 'units' }];
}

function TotalRow({ report: { total } }: { report: MonthUsage }) {
  const t = useTexts(usageTexts);
  return (
    <tr>
      <th scope="row">{t('total')}</th>
      <td className="number">{printCount(total.requests, currentLanguage())}</td>
      {total.unpriced > 0 && <td className="number">{printCount(total.unpriced, currentLanguage())}</td>}
      <td className="number">
        <UnitAmount value={total.cost} />
      </td>
    </tr>
  );
}

/** The requests of a row; null if no filter finds them. */
function searchOf(
  { by, period_start, period_end }: MonthUsage,
  { name, keyId }: { name: string; keyId: string | null },
): Search | null {
  const month = { from: period_start, until: period_end };
  if (by === 'day') return rangeOfDay(name);
  if (by === 'member') return name === SHARED ? null : { email: name, ...month };
  // The key of this name may be another one by now.
  if (keyId !== null) return { key_id: keyId, ...month };
  return { [by]: name, ...month };
}

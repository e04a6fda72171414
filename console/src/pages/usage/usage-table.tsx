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
import { isPlainTab, type MonthUsage, TAG, tabOf, tagKeyOf } from './month-usage.ts';
import { usageTexts } from './texts.ts';
import style from './usage.module.css';

type Row = MonthUsage['rows'][number] & { readonly key: string };

/** How the API calls what the shared keys of a space used together. */
const SHARED = '(shared keys)';

/** A tag may be called "other" too, so what is no value has words that say so. */
export function useRowName(): (row: Pick<MonthUsage['rows'][number], 'name' | 'kind'>) => string {
  const t = useTexts(usageTexts);
  return ({ name, kind }) => {
    if (kind !== 'value') return t(kind);
    return name === SHARED ? t('sharedKeys') : name;
  };
}

export function UsageTable({ report }: { report: MonthUsage }) {
  const t = useTexts(usageTexts);
  const space = useSpace();
  const columns = useColumns(report);
  const tab = tabOf(report.by) ?? 'model';
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
        caption={tab === TAG ? tagKeyOf(report.by) : t(`by_${tab}`)}
        columns={columns}
        rows={rows}
        rowKey={({ key }) => key}
        foot={<TotalRow report={report} />}
      />
      <p className={`hint ${style.note}`}>{t(isPlainTab(tab) ? 'clickHint' : 'attributedHint')}</p>
    </>
  );
}

function useColumns(report: MonthUsage): ReadonlyArray<Column<Row>> {
  const t = useTexts(usageTexts);
  const nameOf = useRowName();
  const tab = tabOf(report.by) ?? 'model';
  const columns: Array<Column<Row>> = [
    {
      key: 'name',
      title: tab === TAG ? tagKeyOf(report.by) : t(`name_${tab}`),
      cell: (row) => {
        const { name, key_id: keyId } = row;
        const search = isPlainTab(tab) ? searchOf(report, { name, keyId }) : null;
        if (search === null) return <span className={style.name}>{nameOf(row)}</span>;
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

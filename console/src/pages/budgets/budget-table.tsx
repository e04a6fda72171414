/** The budgets of the space: what each counts, how much of it is spent, and when it starts again. */
import type { CurrencyRate } from '../../../../gateway/src/kernel/unit-value.ts';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useList, useRead } from '../../api/use-operation.ts';
import { Badge } from '../../parts/badge.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Meter } from '../../parts/meter.tsx';
import { groupDigits, UnitAmount } from '../../parts/unit-amount.tsx';
import { WorthNote } from '../../parts/worth-note.tsx';
import { currentLanguage } from '../../text/language.ts';
import { useTexts } from '../../text/say.ts';
import { printDay } from '../../text/times.ts';
import { BudgetDrawer } from './budget-drawer.tsx';
import { amountNow, type BudgetRow, countedText, forecastText } from './budget-words.ts';
import style from './budgets.module.css';
import { budgetsTexts } from './texts.ts';

export function BudgetTable() {
  const t = useTexts(budgetsTexts);
  const space = useSpace();
  const [{ budget: open }, change] = useSearchState();
  const list = useList('budgets.list', { space });
  const rate = useRead('reports.balance', { space }).data?.worth ?? null;
  return (
    <>
      <DataTable
        caption={t('title')}
        list={list}
        rowKey={({ name }) => name}
        open={open}
        onOpen={({ name }) => change({ budget: name })}
        columns={[
          {
            key: 'name',
            title: t('name'),
            cell: (row) => (
              <span className={style.name}>
                <span className="beside">
                  {row.name}
                  <Badge tone={row.hard ? 'warn' : 'quiet'}>{t(row.hard ? 'refuses' : 'warns')}</Badge>
                </span>
                <span className={style.counts}>{countedText(t, row)}</span>
              </span>
            ),
          },
          { key: 'spent', title: t('spentOf'), cell: (row) => <Spent budget={row} rate={rate} /> },
          {
            key: 'window',
            title: t('window'),
            wide: true,
            cell: ({ window, resets_at: at }) => (
              <>
                {t(window)}
                <p className="hint">
                  {at === null ? t('noReset') : t('resetsOn', { day: printDay(at, currentLanguage()) })}
                </p>
              </>
            ),
          },
          { key: 'forecast', title: t('forecast'), wide: true, cell: (row) => forecastText(t, row) ?? '–' },
        ]}
        empty={
          <Empty
            title={t('empty')}
            command={`tollgate budgets add NAME --amount UNITS --window month --space ${space}`}
            text={t('emptyText')}
          />
        }
      />
      {open !== undefined && !list.waits && (
        <BudgetDrawer
          name={open}
          budget={list.rows.find(({ name }) => name === open)}
          onClose={() => change({ budget: undefined })}
          onRenamed={(name) => change({ budget: name }, { replace: true })}
        />
      )}
    </>
  );
}

/** A bar for one budget. For each value there is one, so only the sum is shown. */
function Spent({ budget, rate }: { budget: BudgetRow; rate: CurrencyRate | null }) {
  const t = useTexts(budgetsTexts);
  const { per, spent, reserved, raised, amount, values } = budget;
  return (
    <div className={style.spent}>
      {per === null ? (
        <Meter spent={spent} limit={amountNow(budget)} reserved={reserved} />
      ) : (
        <UnitAmount value={spent} />
      )}
      <WorthNote units={spent} rate={rate} />
      {per !== null && <p className="hint">{t('eachHas', { units: groupDigits(amount), count: values })}</p>}
      {reserved !== '0' && <p className="hint">{t('reserved', { units: groupDigits(reserved) })}</p>}
      {per === null && raised !== '0' && (
        <p className="hint">{t('raised', { units: groupDigits(raised) })}</p>
      )}
    </div>
  );
}

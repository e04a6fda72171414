/** What the space held at the start of a month, what moved, and what it held at the end. */
import { useRead } from '../../api/use-operation.ts';
import { useSpace } from '../../app/session.ts';
import { SpaceLink } from '../../app/space-link.tsx';
import { useSearchState } from '../../app/use-search.ts';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { MonthPeriod, MonthPicker, shownMonth } from '../../parts/month-picker.tsx';
import { partsTexts } from '../../parts/texts.ts';
import { useTexts } from '../../text/define-texts.ts';
import { AgreementPairs } from '../statement/agreement-pairs.tsx';
import { MovementTable } from '../statement/movement-table.tsx';
import style from './balance.module.css';
import { balanceTexts } from './texts.ts';

export function StatementTable() {
  const t = useTexts(balanceTexts);
  const p = useTexts(partsTexts);
  const space = useSpace();
  const [search, change] = useSearchState();
  const month = shownMonth(search.month);
  const { data, error, refetch } = useRead('statements.get', { space, month });
  const statement = data?.month === month ? data : null;
  return (
    <>
      <div className={style.head}>
        {statement === null ? (
          <span />
        ) : (
          <MonthPeriod start={statement.period_start} end={statement.period_end} />
        )}
        <SpaceLink page="statement" search={{ month }}>
          {t('wholeStatement')}
        </SpaceLink>
        <MonthPicker month={month} onChoose={(chosen) => change({ month: chosen })} />
      </div>
      <ThrownNote error={error} onRetry={() => void refetch()} />
      {statement === null && error === null && <p role="status">{p('loading')}</p>}
      {statement !== null && (
        <div className={style.statement}>
          <MovementTable statement={statement} />
          <AgreementPairs statement={statement} />
        </div>
      )}
    </>
  );
}

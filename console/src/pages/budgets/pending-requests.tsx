/** Requests that nobody has decided yet, each decided by one click. */
import { budgetDecisions } from '../../../../gateway/src/contract/administration/words.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { type ItemOf, useChange, useList } from '../../api/use-operation.ts';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Card } from '../../parts/page.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { groupDigits } from '../../parts/unit-amount.tsx';
import { useRun } from '../../parts/use-run.ts';
import { useTexts } from '../../text/say.ts';
import style from './budgets.module.css';
import { budgetsTexts } from './texts.ts';

type Asked = ItemOf<'budgetRequests.list'>;

export function PendingRequests() {
  const t = useTexts(budgetsTexts);
  const space = useSpace();
  const { rows } = useList('budgetRequests.list', { space, state: 'pending' });
  if (rows.length === 0) return null;
  return (
    <Card title={t('pending')}>
      <ul className={style.pending}>
        {rows.map((row) => (
          <PendingRequest key={row.id} asked={row} />
        ))}
      </ul>
    </Card>
  );
}

function PendingRequest({ asked }: { asked: Asked }) {
  const t = useTexts(budgetsTexts);
  const [space, decide] = [useSpace(), useChange('budgetRequests.decide')];
  const { error, run } = useRun();
  const { id, budget, value, amount, note, asked_by: who, created_at: at } = asked;
  const units = groupDigits(amount);
  return (
    <li>
      <div>
        <p>
          {value === null ? t('asks', { who, units, budget }) : t('asksFor', { who, units, budget, value })}
        </p>
        <p className="hint">
          {note !== null && `“${note}” · `}
          <Moment at={at} />
        </p>
        <ThrownNote error={error} />
      </div>
      <div className="beside">
        {budgetDecisions.map((decision) => (
          <RowButton
            key={decision}
            name={t(`${decision}Name`, { who, budget })}
            onClick={() => void run(() => decide.mutateAsync({ space, budget_request: id, decision }))}
          >
            {t(decision)}
          </RowButton>
        ))}
      </div>
    </li>
  );
}

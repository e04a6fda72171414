/** What the space held at the start of a month, what moved, and what it held at the end. */
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { useRead } from '../../api/use-operation.ts';
import { useSpace } from '../../app/session.ts';
import { useSearchState } from '../../app/use-search.ts';
import { PlainTable } from '../../parts/data-table.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { MonthPeriod, MonthPicker, shownMonth } from '../../parts/month-picker.tsx';
import { partsTexts } from '../../parts/texts.ts';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { currentLanguage } from '../../text/language.ts';
import { currentMonth, printCount } from '../../text/times.ts';
import style from './balance.module.css';
import { balanceTexts } from './texts.ts';

type Statement = ResultOf<'statements.get'>;
type Line = Statement['lines'][number];
type Figures = Statement['opening'];

export function StatementTable() {
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
        <MonthPicker month={month} onChoose={(chosen) => change({ month: chosen })} />
      </div>
      <ThrownNote error={error} onRetry={() => void refetch()} />
      {statement === null && error === null && <p role="status">{p('loading')}</p>}
      {statement !== null && <Lines statement={statement} />}
    </>
  );
}

function Lines({ statement }: { statement: Statement }) {
  const t = useTexts(balanceTexts);
  const isCurrent = statement.month === currentMonth(Date.now());
  const rows = [
    { opening: statement.opening },
    ...statement.lines.map((line) => ({ line })),
  ] as ReadonlyArray<{ opening: Figures; line?: undefined } | { line: Line; opening?: undefined }>;
  return (
    <div className={`stack ${style.statement}`}>
      <PlainTable
        caption={t('statement')}
        rows={rows}
        rowKey={({ line }) => (line === undefined ? 'opening' : `${line.kind} ${line.source}`)}
        columns={[
          { key: 'what', title: t('movement'), cell: ({ line }) => <LineName line={line} /> },
          {
            key: 'entries',
            title: t('entries'),
            number: true,
            wide: true,
            cell: ({ line }) => (line === undefined ? '' : printCount(line.entries, currentLanguage())),
          },
          {
            key: 'amount',
            title: t('amount'),
            number: true,
            cell: ({ line }) => (line === undefined ? '' : <UnitAmount value={line.amount} />),
          },
          ...(['promo', 'paid', 'overage'] as const).map((account) => ({
            key: account,
            title: t(account === 'overage' ? 'owed' : account),
            number: true,
            cell: ({ line, opening }: (typeof rows)[number]) => (
              <UnitAmount value={(line ?? opening)?.[account] ?? null} />
            ),
          })),
        ]}
        foot={<Closing name={t(isCurrent ? 'balanceNow' : 'closing')} closing={statement.closing} />}
      />
      <Agreement statement={statement} />
    </div>
  );
}

function LineName({ line }: { line: Line | undefined }) {
  const t = useTexts(balanceTexts);
  if (line === undefined) return <strong>{t('opening')}</strong>;
  const sources = ['calls', 'batches', 'videos'] as const;
  const source = sources.find((one) => one === line.source);
  const from = source === undefined ? line.source : t(`source_${source}`);
  return <>{from === null ? t(`kind_${line.kind}`) : `${t(`kind_${line.kind}`)}: ${from}`}</>;
}

function Closing({ name, closing }: { name: string; closing: Figures }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className={style.wide} />
      <td />
      {(['promo', 'paid', 'overage'] as const).map((account) => (
        <td key={account} className="number">
          <UnitAmount value={closing[account]} />
        </td>
      ))}
    </tr>
  );
}

/** How the charges agree with the usage reports. */
function Agreement({ statement: { charged, usage } }: { statement: Statement }) {
  const t = useTexts(balanceTexts);
  const all = [
    { name: t('charged'), value: charged, isShown: true },
    { name: t('usageCost'), value: usage.cost, isShown: true },
    {
      name: t('correctedElsewhere'),
      value: usage.corrected_elsewhere,
      isShown: usage.corrected_elsewhere !== '0',
    },
    {
      name: t('correctionsOfOthers'),
      value: usage.corrections_of_other_months,
      isShown: usage.corrections_of_other_months !== '0',
    },
  ];
  const pairs = all.filter(({ isShown }) => isShown);
  return (
    <Facts>
      {pairs.map(({ name, value }) => (
        <Fact key={name} name={name}>
          <UnitAmount value={value} />
        </Fact>
      ))}
    </Facts>
  );
}

/** What the space held at the start of a month, every kind of movement, and what it held at the end. */
import type { ResultOf } from '../../../../../gateway/src/contract/administration/admin-endpoints.ts';
import type { CurrencyRate } from '../../../../../gateway/src/kernel/unit-value.ts';
import { PlainTable } from '../../../parts/data-table.tsx';
import { UnitAmount } from '../../../parts/unit-amount.tsx';
import { shownWorth } from '../../../parts/worth-note.tsx';
import { currentLanguage } from '../../../text/language.ts';
import { useTexts } from '../../../text/say.ts';
import { currentMonth, printCount } from '../../../text/times.ts';
import style from './statement.module.css';
import { statementTexts } from './texts.ts';

export type MonthStatement = ResultOf<'statements.get'>;
type Line = MonthStatement['lines'][number];
type Figures = MonthStatement['opening'];

export function MovementTable({ statement }: { statement: MonthStatement }) {
  const t = useTexts(statementTexts);
  const isCurrent = statement.month === currentMonth(Date.now());
  const { worth } = statement;
  const rows = [
    { opening: statement.opening },
    ...statement.lines.map((line) => ({ line })),
  ] as ReadonlyArray<{ opening: Figures; line?: undefined } | { line: Line; opening?: undefined }>;
  return (
    <PlainTable
      caption={t('title')}
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
        ...(worth === null
          ? []
          : [
              {
                key: 'worth',
                title: worth.currency,
                number: true,
                cell: ({ line, opening }: (typeof rows)[number]) =>
                  shownWorth(line?.amount ?? opening?.total ?? '0', worth),
              },
            ]),
      ]}
      foot={
        <Closing name={t(isCurrent ? 'balanceNow' : 'closing')} closing={statement.closing} rate={worth} />
      }
    />
  );
}

function LineName({ line }: { line: Line | undefined }) {
  const t = useTexts(statementTexts);
  if (line === undefined) return <strong>{t('opening')}</strong>;
  const sources = ['calls', 'batches', 'videos'] as const;
  const source = sources.find((one) => one === line.source);
  const from = source === undefined ? line.source : t(`source_${source}`);
  return <>{from === null ? t(`kind_${line.kind}`) : `${t(`kind_${line.kind}`)}: ${from}`}</>;
}

function Closing({ name, closing, rate }: { name: string; closing: Figures; rate: CurrencyRate | null }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className={style.wide} />
      <td />
      {(['promo', 'paid', 'overage'] as const).map((account) => (
        <td key={account} className={style.number}>
          <UnitAmount value={closing[account]} />
        </td>
      ))}
      {rate !== null && <td className={style.number}>{shownWorth(closing.total, rate)}</td>}
    </tr>
  );
}

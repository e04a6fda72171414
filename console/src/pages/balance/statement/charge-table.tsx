/** What was charged by model or by key. The rows add up to the charges and corrections of the month. */
import type { ReactNode } from 'react';
import type { CurrencyRate } from '../../../../../gateway/src/kernel/unit-value.ts';
import { PlainTable } from '../../../parts/data-table.tsx';
import { UnitAmount } from '../../../parts/unit-amount.tsx';
import { shownWorth } from '../../../parts/worth-note.tsx';
import { currentLanguage } from '../../../text/language.ts';
import { useTexts } from '../../../text/say.ts';
import { printCount } from '../../../text/times.ts';
import type { MonthStatement } from './movement-table.tsx';
import style from './statement.module.css';
import { statementTexts } from './texts.ts';

type Charged = Omit<MonthStatement['models'][number], 'model'>;

export interface ChargeRow extends Charged {
  readonly id: string;
  readonly name: ReactNode;
}

interface ChargeTableProps {
  readonly caption: string;
  readonly title: string;
  readonly rows: readonly ChargeRow[];
  /** Charges and corrections of the month. */
  readonly charged: string;
  /** Null: what units are worth is not shown. */
  readonly rate: CurrencyRate | null;
}

export function ChargeTable({ caption, title, rows, charged, rate }: ChargeTableProps) {
  const t = useTexts(statementTexts);
  if (rows.length === 0) return <p className="hint">{t('nothing')}</p>;
  return (
    <PlainTable
      caption={caption}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        { key: 'name', title, cell: ({ name }) => name },
        { key: 'requests', title: t('requests'), number: true, cell: (row) => <Requests {...row} /> },
        ...(['charges', 'corrections', 'amount'] as const).map((sum) => ({
          key: sum,
          title: t(sum),
          as: 'units' as const,
        })),
        ...(rate === null
          ? []
          : [
              {
                key: 'worth',
                title: rate.currency,
                number: true,
                cell: ({ amount }: ChargeRow) => shownWorth(amount, rate),
              },
            ]),
      ]}
      foot={
        <tr>
          <th scope="row" colSpan={4}>
            {t('sum')}
          </th>
          <td className={style.number}>
            <UnitAmount value={charged} />
          </td>
          {rate !== null && <td className={style.number}>{shownWorth(charged, rate)}</td>}
        </tr>
      }
    />
  );
}

function Requests({ requests, unpriced }: Charged) {
  const t = useTexts(statementTexts);
  const language = currentLanguage();
  return (
    <>
      {printCount(requests, language)}
      {unpriced > 0 && (
        <span className={style.under}>{t('unpriced', { count: printCount(unpriced, language) })}</span>
      )}
    </>
  );
}

/** How the charges agree with the usage reports, and which months corrections belong to. */
import { Fact, Facts } from '../../../parts/facts.tsx';
import { currentLanguage } from '../../../text/language.ts';
import { useTexts } from '../../../text/say.ts';
import { printMonth } from '../../../text/times.ts';
import type { MonthStatement } from './movement-table.tsx';
import { statementTexts } from './texts.ts';

export function AgreementPairs({ statement: { charged, usage } }: { statement: MonthStatement }) {
  const t = useTexts(statementTexts);
  const named = (month: string) => ({ month: printMonth(month, currentLanguage()) });
  const pairs = [
    { name: t('charged'), value: charged },
    { name: t('usageCost'), value: usage.cost },
    ...usage.corrected_in.map(({ month, amount }) => ({
      name: t('correctedIn', named(month)),
      value: amount,
    })),
    ...usage.corrections_of.map(({ month, amount }) => ({
      name: t('correctionsOf', named(month)),
      value: amount,
    })),
  ];
  return (
    <Facts>
      {pairs.map(({ name, value }) => (
        <Fact key={name} name={name} as="units" value={value} />
      ))}
    </Facts>
  );
}

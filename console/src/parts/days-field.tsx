/** For how many days a new secret is valid, as it is typed. */
import { DAYS_MAX } from '../../../gateway/src/contract/administration/words.ts';
import { defineTexts } from '../text/define-texts.ts';
import { useTexts } from '../text/say.ts';
import { LineField } from './line-field.tsx';

const texts = defineTexts('daysField', {
  days: ['Valid for (days)', '유효 기간 (일)'],
  hint: ['1 to {max} days.', '1~{max}일.'],
});

export function DaysField(props: { value: string; onType(value: string): void }) {
  const t = useTexts(texts);
  return (
    <LineField
      label={t('days')}
      hint={t('hint', { max: DAYS_MAX })}
      type="number"
      min={1}
      max={DAYS_MAX}
      required
      {...props}
    />
  );
}

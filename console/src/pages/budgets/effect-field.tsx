import { Choice } from '../../parts/field.tsx';
import { useTexts } from '../../text/say.ts';
import { budgetsTexts } from './texts.ts';

/** Whether a budget refuses or warns. */
export function EffectField({ hard, onChoose }: { hard: boolean; onChoose(hard: boolean): void }) {
  const t = useTexts(budgetsTexts);
  return (
    <Choice
      label={t('effect')}
      value={hard ? 'refuses' : 'warns'}
      values={['warns', 'refuses']}
      labelOf={(one) => t(one)}
      onChoose={(chosen) => onChoose(chosen === 'refuses')}
    />
  );
}

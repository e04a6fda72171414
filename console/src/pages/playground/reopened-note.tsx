import type { Explanation } from '../../../../gateway/src/contract/explanation.ts';
import { useTexts } from '../../text/say.ts';
import { sentenceOf, statusOf } from '../../topics/request/explained.ts';
import { modeOfEndpoint } from './modes.ts';
import style from './playground.module.css';
import { playgroundTexts } from './texts.ts';

/** A request that a provider did not answer well is not one that the gateway rejected. */
const endings = {
  completed: 'reopenedFailed',
  failed: 'reopenedFailed',
  partial: 'reopenedPartial',
  rejected: 'reopenedRejected',
} as const;

/** Says what of a recorded request was taken over, and what the record does not have. */
export function ReopenedNote({ explanation, onForget }: { explanation: Explanation; onForget(): void }) {
  const t = useTexts(playgroundTexts);
  const { ref, call } = explanation;
  const status = statusOf(explanation);
  const detail = status === 'completed' ? null : sentenceOf(explanation);
  const other = call !== null && modeOfEndpoint(call.endpoint) === null;
  return (
    <section className={style.reopened} aria-label={t('reopened', { id: ref })}>
      <p>
        <strong>{t('reopened', { id: ref })}</strong>
      </p>
      {other && <p>{t('reopenedOther', { endpoint: call.endpoint })}</p>}
      {detail !== null && <p>{t(endings[status], { detail })}</p>}
      <p>{t('reopenedText')}</p>
      <button type="button" className="link" onClick={onForget}>
        {t('forget')}
      </button>
    </section>
  );
}

import { FailureNote } from '../../parts/failure-note.tsx';
import { TrialReceipt } from './receipt.tsx';
import type { Trial } from './use-trial.ts';

export function AnswerView({ trial, busy }: { trial: Trial; busy: boolean }) {
  const { phase, answer, failure } = trial;
  const blank = answer.text === '' && answer.images.length === 0;
  return (
    <>
      {/* While it is busy nothing is read out; the whole answer is, once. */}
      <div className="answer" aria-live="polite" aria-busy={busy} data-phase={phase}>
        {blank && !busy && failure === null && <p className="empty">{blankText(phase)}</p>}
        {(!blank || busy) && (
          <p className="said">
            {answer.text}
            {busy && <span className="caret" aria-hidden="true" />}
          </p>
        )}
        {answer.images.map((image) => (
          <img key={image} src={image} alt="What the model drew" />
        ))}
      </div>
      {failure !== null && <FailureNote failure={failure} />}
      <div role="status" className="result">
        {phase !== 'idle' && phase !== 'failed' && <p className="hint">{phaseText(trial)}</p>}
        {(phase === 'answered' || phase === 'stopped') && <TrialReceipt trial={trial} />}
      </div>
    </>
  );
}

function blankText(phase: Trial['phase']): string {
  return phase === 'answered' ? 'The model answered with nothing.' : 'The answer appears here as it is made.';
}

function phaseText({ phase, answer }: Trial): string {
  if (phase === 'waiting') return 'Waiting for the first token …';
  if (phase === 'answering') return 'Answering …';
  if (phase === 'stopped') {
    return 'Stopped, here and at the provider. What was produced by then is charged to your key.';
  }
  if (answer.finishReason === 'length') return 'Answered, up to the limit of the model.';
  if (answer.finishReason === 'content_filter')
    return 'The provider ended the answer under its content policy.';
  return 'It works: the call was metered and charged to your key.';
}

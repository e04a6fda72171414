import { AnswerText } from '../../parts/answer-text.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { type Say, useTexts } from '../../text/define-texts.ts';
import { TrialReceipt } from './receipt.tsx';
import { connectTexts } from './texts.ts';
import type { Trial } from './use-trial.ts';

type Text = keyof (typeof connectTexts)['catalogues']['en'];

export function AnswerView({ trial, busy }: { trial: Trial; busy: boolean }) {
  const t = useTexts(connectTexts);
  const { phase, answer, failure } = trial;
  const blank = answer.text === '' && answer.images.length === 0;
  return (
    <>
      {/* While it is busy nothing is read out; the whole answer is, once. */}
      <div className="answer" aria-live="polite" aria-busy={busy} data-phase={phase}>
        {blank && !busy && failure === null && (
          <p className="empty">{t(phase === 'answered' ? 'answeredNothing' : 'blank')}</p>
        )}
        {(!blank || busy) && <AnswerText text={answer.text} busy={busy} />}
        {answer.images.map((image) => (
          <img key={image} src={image} alt={t('drawn')} />
        ))}
      </div>
      {failure !== null && <FailureNote failure={failure} />}
      <div role="status" className="result">
        {phase !== 'idle' && phase !== 'failed' && <p className="hint">{phaseText(trial, t)}</p>}
        {(phase === 'answered' || phase === 'stopped') && <TrialReceipt trial={trial} />}
      </div>
    </>
  );
}

function phaseText({ phase, answer }: Trial, t: Say<Text>): string {
  if (phase === 'waiting') return t('waitingToken');
  if (phase === 'answering') return t('answering');
  if (phase === 'stopped') return t('stopped');
  if (answer.finishReason === 'length') return t('upToLimit');
  return t(answer.finishReason === 'content_filter' ? 'filtered' : 'works');
}

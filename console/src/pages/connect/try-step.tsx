import { type KeyboardEvent, useId, useState } from 'react';
import type { ModelObject } from '../../../../gateway/src/contract/models.ts';
import { AnswerText } from '../../parts/answer-text.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Fact, Measures } from '../../parts/facts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { type Say, useTexts } from '../../text/say.ts';
import { Step } from './step.tsx';
import { connectTexts } from './texts.ts';
import type { Trial, Trying } from './use-trial.ts';

interface TryStepProps {
  readonly apiKey: string;
  readonly model: ModelObject | null;
  readonly trying: Trying;
}

export function TryStep({ apiKey, model, trying }: TryStepProps) {
  const t = useTexts(connectTexts);
  const { trial, send, stop, justEnded } = trying;
  const [prompt, setPrompt] = useState(() => t('firstPrompt'));
  const id = useId();
  const busy = trial.phase === 'waiting' || trial.phase === 'answering';
  const ready = model !== null && prompt.trim() !== '' && !busy;

  const ask = (): void => {
    if (!ready) return;
    send({ key: apiKey, model: model.id, streams: model.capabilities.includes('streaming'), prompt });
  };
  const click = (): void => {
    if (busy) stop();
    else if (!justEnded()) ask();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && busy) stop();
    // Enter also ends the composition of a Korean or Japanese word: then it is not for us.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    ask();
  };

  return (
    <Step
      number={4}
      title={t('tryTitle')}
      done={trial.phase === 'answered'}
      aside={model !== null && <code className="aside">{model.id}</code>}
    >
      <div className="ask">
        <label htmlFor={id}>{t('prompt')}</label>
        <textarea
          id={id}
          rows={2}
          value={prompt}
          aria-describedby={`${id}-hint`}
          onChange={(event) => setPrompt(event.target.value)}
          onKeyDown={press}
        />
        <div className="under">
          <span id={`${id}-hint`} className="hint">
            {model === null ? (
              t('connectFirst')
            ) : (
              <span className="keys">
                <kbd>Enter</kbd> {t('sends')}, <kbd>Shift</kbd> <kbd>Enter</kbd> {t('breaks')}, <kbd>Esc</kbd>{' '}
                {t('stops')}
              </span>
            )}
          </span>
          {/* One button with two meanings, so that the focus stays where it is. */}
          <button type="button" className="main" disabled={!busy && !ready} onClick={click}>
            {t(busy ? 'stop' : 'send')}
          </button>
        </div>
      </div>
      <AnswerView trial={trial} busy={busy} />
    </Step>
  );
}

type Text = keyof (typeof connectTexts)['catalogues']['en'];

function AnswerView({ trial, busy }: { trial: Trial; busy: boolean }) {
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

/** What the call took. A stopped call is counted and priced only after we left: that is not known here. */
function TrialReceipt({ trial }: { trial: Trial }) {
  const t = useTexts(connectTexts);
  const { answer, requestId } = trial;
  return (
    <>
      <Measures className="receipt">
        <Fact name={t('firstToken')}>{duration(trial.firstTokenMs)}</Fact>
        <Fact name={t('total')}>{duration(trial.totalMs)}</Fact>
        {trial.phase !== 'stopped' && (
          <>
            <Fact name={t('tokensIn')}>{answer.inputTokens ?? '–'}</Fact>
            <Fact name={t('tokensOut')}>{answer.outputTokens ?? '–'}</Fact>
            <Fact name={t('cost')}>
              {answer.cost === null ? t('notKnown') : <Cost amount={answer.cost} />}
            </Fact>
          </>
        )}
      </Measures>
      {requestId !== null && (
        <p className="request">
          {t('request')} <code>{requestId}</code>
          <CopyButton text={requestId} what={t('requestId')} />
        </p>
      )}
    </>
  );
}

function Cost({ amount }: { amount: string }) {
  const t = useTexts(connectTexts);
  return (
    <>
      <data value={amount}>{amount}</data> {t('units', { amount })}
    </>
  );
}

function duration(ms: number | null): string {
  if (ms === null) return '–';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

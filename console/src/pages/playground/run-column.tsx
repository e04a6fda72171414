/** The answer of one model, and what it took. */
import type { ReactNode } from 'react';
import { SpaceLink } from '../../addresses/space-link.tsx';
import { AnswerText } from '../../parts/answer-text.tsx';
import { Fact, Measures } from '../../parts/facts.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { currentLanguage } from '../../text/language.ts';
import { type Say, useTexts } from '../../text/say.ts';
import { printCount, printDuration } from '../../text/times.ts';
import style from './playground.module.css';
import { type PlaygroundText, playgroundTexts } from './texts.ts';
import { isBusy, type PlayRun } from './use-conversation.ts';

interface RunColumnProps {
  readonly model: string;
  /** Null until something was sent. */
  readonly run: PlayRun | null;
  /** Which answer of the conversation it is, from 1. */
  readonly number?: number;
  /** The next message follows this answer. */
  readonly isLast?: boolean;
}

export function RunColumn({ model, run, number = 1, isLast = false }: RunColumnProps) {
  const t = useTexts(playgroundTexts);
  const busy = run !== null && isBusy(run);
  const calls = run?.phase === 'answered' ? run.answer.toolCalls.length : 0;
  return (
    <section
      className={style.column}
      aria-label={number === 1 ? t('answerOf', { model }) : t('laterAnswerOf', { model, number })}
      data-phase={run?.phase ?? 'idle'}
    >
      <header className={style.columnHead}>
        <h2>{model}</h2>
      </header>
      {/* While it is busy nothing is read out; the whole answer is, once. */}
      <div className={`well ${style.answer}`} aria-live="polite" aria-busy={busy}>
        {run === null ? <p className={style.empty}>{t('empty')}</p> : <Answer run={run} busy={busy} />}
      </div>
      {run?.failure && <FailureNote failure={run.failure} />}
      {run !== null && (
        <p className="hint" role="status">
          {phaseText(run, t)}
        </p>
      )}
      {isLast && calls > 0 && <p className="hint">{t('resultNext', { calls })}</p>}
      {run !== null && !busy && run.phase !== 'failed' && <RunFacts run={run} />}
    </section>
  );
}

function Answer({ run, busy }: { run: PlayRun; busy: boolean }) {
  const t = useTexts(playgroundTexts);
  const { text, toolCalls, images, vector } = run.answer;
  const nothing = text === '' && toolCalls.length === 0 && images.length === 0 && vector === null;
  if (nothing && run.phase === 'answered') return <p className={style.empty}>{t('nothing')}</p>;
  return (
    <>
      {(text !== '' || busy) && <AnswerText text={text} busy={busy} />}
      {toolCalls.map(({ name, args }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls only ever follow one another
        <div key={place} className={style.toolCall}>
          <p>{t('toolCall', { name })}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways */}
          <pre tabIndex={0}>{pretty(args)}</pre>
        </div>
      ))}
      {images.map((image) => (
        <figure key={image} className={style.image}>
          <img src={image} alt={t('drawn', { model: run.model })} />
          <figcaption>
            <a href={image} download={`${run.model}.png`}>
              {t('download')}
            </a>
          </figcaption>
        </figure>
      ))}
      {vector !== null && (
        <>
          <p>{t('vector', { length: vector.length })}</p>
          <p className={style.vector}>{vector.first.join(', ')} …</p>
        </>
      )}
    </>
  );
}

/** A stopped call is counted and priced after we left: its request shows it. */
function RunFacts({ run }: { run: PlayRun }) {
  const t = useTexts(playgroundTexts);
  const { answer, requestId } = run;
  const language = currentLanguage();
  const count = (tokens: number | null): ReactNode =>
    tokens === null ? <UnitAmount value={null} /> : printCount(tokens, language);
  const stopped = run.phase === 'stopped';
  return (
    <>
      <Measures>
        <Fact name={t('firstToken')}>{duration(run.firstTokenMs)}</Fact>
        <Fact name={t('total')}>{duration(run.totalMs)}</Fact>
        <Fact name={t('tokensIn')}>{stopped ? '–' : count(answer.inputTokens)}</Fact>
        {answer.vector === null && (
          <Fact name={t('tokensOut')}>{stopped ? '–' : count(answer.outputTokens)}</Fact>
        )}
        <Fact name={t('cost')}>{stopped ? t('afterStop') : <UnitAmount value={answer.cost} />}</Fact>
      </Measures>
      {requestId !== null && (
        <SpaceLink className="small" page="requests" search={{ request: requestId }}>
          {t('openRequest')} <code>{requestId}</code>
        </SpaceLink>
      )}
    </>
  );
}

function phaseText({ phase, answer }: PlayRun, t: Say<PlaygroundText>): string {
  if (phase !== 'answered') return t(phase);
  return answer.finishReason === null ? t('answeredPlain') : t('answered', { reason: answer.finishReason });
}

function duration(ms: number | null): string {
  return ms === null ? '–' : printDuration(Math.round(ms));
}

function pretty(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    return args;
  }
}

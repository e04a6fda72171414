import { CopyButton } from '../../parts/copy-button.tsx';
import { Fact, Measures } from '../../parts/facts.tsx';
import { useTexts } from '../../text/say.ts';
import { connectTexts } from './texts.ts';
import type { Trial } from './use-trial.ts';

/** What the call took. A stopped call is counted and priced only after we left: that is not known here. */
export function TrialReceipt({ trial }: { trial: Trial }) {
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

import type { ReactNode } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import type { Trial } from './use-trial.ts';

/** What the call took. A stopped call is counted and priced only after we left: that is not known here. */
export function TrialReceipt({ trial }: { trial: Trial }) {
  const { answer, requestId } = trial;
  return (
    <>
      <dl className="receipt">
        <Fact name="First token">{duration(trial.firstTokenMs)}</Fact>
        <Fact name="Total">{duration(trial.totalMs)}</Fact>
        {trial.phase !== 'stopped' && (
          <>
            <Fact name="Tokens in">{answer.inputTokens ?? '–'}</Fact>
            <Fact name="Tokens out">{answer.outputTokens ?? '–'}</Fact>
            <Fact name="Cost">{answer.cost === null ? 'not known' : <Cost amount={answer.cost} />}</Fact>
          </>
        )}
      </dl>
      {requestId !== null && (
        <p className="request">
          Request <code>{requestId}</code>
          <CopyButton text={requestId} what="the request id" />
        </p>
      )}
    </>
  );
}

function Cost({ amount }: { amount: string }) {
  return (
    <>
      <data value={amount}>{amount}</data> {amount === '1' ? 'unit' : 'units'}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function duration(ms: number | null): string {
  if (ms === null) return '–';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

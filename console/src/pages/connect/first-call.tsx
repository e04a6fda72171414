/** Turns green when the first call arrives, and shows what it cost. */
import type { ReactNode } from 'react';
import { SpaceLink } from '../../addresses/space-link.tsx';
import { useSpace } from '../../addresses/use-space.ts';
import { useList } from '../../api/use-operation.ts';
import { Fact, Measures } from '../../parts/facts.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { type Say, useTexts } from '../../text/say.ts';
import { useSeenKey } from '../../topics/gateway-key/use-own-key.ts';
import { Step } from './step.tsx';
import { connectTexts } from './texts.ts';
import type { Trial } from './use-trial.ts';

const POLL_MS = 2_000;

interface SeenCall {
  readonly id: string | null;
  readonly model: string | null;
  readonly cost: string | null;
  readonly at: string | null;
  readonly problem: string | null;
}

/** Of somebody who is signed in: any call of the key, wherever it was made. */
export function FirstCallOfKey({ apiKey, trial }: { apiKey: string; trial: Trial }) {
  const t = useTexts(connectTexts);
  const space = useSpace();
  const name = useSeenKey(apiKey)?.name ?? null;
  const calls = useList(
    'requests.list',
    { space, key: name ?? '', limit: 1 },
    { enabled: name !== null, every: POLL_MS },
  );
  const [last] = name === null ? [] : calls.rows;
  const call =
    last === undefined
      ? tried(trial)
      : { ...last, at: last.started_at, problem: last.status === 'completed' ? null : last.problem };
  const waiting = t(apiKey === '' ? 'waitingKey' : name === null ? 'waitingOpen' : 'waitingText');
  return (
    <FirstCall call={call} waiting={waiting}>
      {call?.id && (
        <SpaceLink page="requests" search={{ request: call.id }}>
          {t('openRequest')}
        </SpaceLink>
      )}
    </FirstCall>
  );
}

/** Without an account only the calls of this page are seen. */
export function FirstCallOfTrial({ connected, trial }: { connected: boolean; trial: Trial }) {
  const t = useTexts(connectTexts);
  return <FirstCall call={tried(trial)} waiting={t(connected ? 'waitingOpen' : 'waitingKey')} />;
}

function FirstCall(props: { call: SeenCall | null; waiting: string; children?: ReactNode }) {
  const t = useTexts(connectTexts);
  const { call, waiting, children } = props;
  const worked = call !== null && call.problem === null;
  return (
    <Step number={5} title={t('firstTitle')} done={worked}>
      <div className={`first-call ${call === null ? 'waits' : worked ? 'worked' : 'failed'}`}>
        <p className="said-so" role="status">
          <span className="lamp" aria-hidden="true" />
          {headline(call, t)}
        </p>
        {call === null ? (
          <p className="hint">{waiting}</p>
        ) : (
          <Measures>
            {call.model !== null && <Fact name={t('model')}>{call.model}</Fact>}
            {call.at !== null && <Fact name={t('at')} as="moment" value={call.at} />}
            <Fact name={t('cost')}>
              <UnitAmount value={call.cost} />
              {call.cost !== null && ` ${t('units', { amount: call.cost })}`}
            </Fact>
          </Measures>
        )}
        {children}
      </div>
    </Step>
  );
}

function headline(call: SeenCall | null, t: Say<keyof typeof connectTexts.catalogues.en>): string {
  if (call === null) return t('waitingCall');
  return call.problem === null ? t('arrived') : t('failedCall', { problem: call.problem });
}

function tried({ phase, answer, requestId }: Trial): SeenCall | null {
  if (phase !== 'answered') return null;
  return { id: requestId, model: null, cost: answer.cost, at: null, problem: null };
}

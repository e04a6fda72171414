/** The state of the connection in words, with the countdown to the next attempt. */
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { RECONNECT_ATTEMPTS_MAX } from '../../../../../gateway/src/client/reconnect.ts';
import { systemClock } from '../../../../../gateway/src/kernel/time.ts';
import { Badge, type Tone } from '../../../parts/badge.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { useTexts } from '../../../text/say.ts';
import { logsTexts } from '../texts.ts';
import type { LogStream, StreamStatus } from './log-stream.ts';
import style from './log-viewer.module.css';
import { printMoment, type TimeMode } from './print-log-time.ts';
import { useStreamValue } from './use-log-stream.ts';

const SECOND_MS = 1_000;
const UNAUTHENTICATED = 401;

const tones: Readonly<Record<StreamStatus['conn'], Tone>> = {
  connecting: 'quiet',
  live: 'good',
  reconnecting: 'warn',
  ended: 'quiet',
  failed: 'bad',
  offline: 'warn',
};

interface StreamStatusLineProps {
  readonly stream: LogStream;
  /** The moment to look at; null: none. */
  readonly at: number | null;
  readonly times: TimeMode;
}

export function StreamStatusLine({ stream, at, times }: StreamStatusLineProps) {
  const t = useTexts(logsTexts);
  const status = useStreamValue(stream, (now) => now.status);
  const held = useStreamValue(stream, (now) => now.held);
  const quiet = useStreamValue(stream, (now) => now.quiet);
  const seeks = useStreamValue(stream, (now) => now.seeks);
  const caughtUp = useStreamValue(stream, (now) => now.caughtUp);
  const foundAt = useStreamValue(stream, (now) => now.foundAt);
  const seconds = useCountdown(status.retryAt);
  const { conn, attempt } = status;
  const values = { attempt, max: RECONNECT_ATTEMPTS_MAX };
  return (
    <div className={style.status} role="status">
      <Badge tone={held && conn === 'live' ? 'warn' : tones[conn]}>
        {t(held && conn === 'live' ? 'held' : conn)}
      </Badge>
      <span className={style.explained}>
        {conn === 'reconnecting' &&
          (seconds === null ? t('reconnectingNow', values) : t('reconnectingIn', { ...values, seconds }))}
        {conn === 'offline' && t('offlineText')}
        {conn === 'ended' && t('endedText')}
        {conn === 'live' && held && t('heldText')}
        {conn === 'live' && quiet && t('quiet')}
        {seeks && at !== null && t(caughtUp ? 'nothingAt' : 'seeking', { time: printMoment(at, times) })}
        {foundAt !== null &&
          at !== null &&
          Date.parse(foundAt) >= at + SECOND_MS &&
          t('nothingThen', { time: printMoment(at, times), next: printMoment(Date.parse(foundAt), times) })}
      </span>
    </div>
  );
}

/** Why the logs cannot be read, and what to do. */
export function StreamFailure({ stream }: { stream: LogStream }) {
  const t = useTexts(logsTexts);
  const { conn, message, rejection } = useStreamValue(stream, ({ status }) => status);
  if (conn !== 'failed') return null;
  return (
    <div className={style.failure}>
      <FailureNote
        failure={{
          sentence: rejection === null ? t('failedText', { message: message ?? '' }) : (message ?? ''),
          errorRef: rejection?.errorRef ?? null,
        }}
      />
      {rejection?.status === UNAUTHENTICATED && (
        <Link to="/sign-in" search={{ return_to: location.pathname + location.search }} className="button">
          {t('signInAgain')}
        </Link>
      )}
    </div>
  );
}

/** Whole seconds until a moment; null: there is none, or it has passed. */
function useCountdown(until: number | null): number | null {
  const [now, setNow] = useState(() => systemClock.now());
  useEffect(() => {
    if (until === null) return;
    setNow(systemClock.now());
    return systemClock.every(SECOND_MS / 4, () => setNow(systemClock.now()));
  }, [until]);
  return until === null || until <= now ? null : Math.ceil((until - now) / SECOND_MS);
}

/** The stream of a project in a component: a new one whenever what is read changes; the old one stops first. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Network } from '../../../../../gateway/src/client/log-updates.ts';
import { systemClock } from '../../../../../gateway/src/kernel/time.ts';
import { LogStream } from './log-stream.ts';
import type { StreamChoice } from './view-options.ts';

/** The clocks of the person and of the server may differ. */
const AT_MARGIN_SECONDS = 60;
const TAIL_LINES = 1_000;

export function useLogStream(project: string, choice: StreamChoice): LogStream | null {
  const [stream, setStream] = useState<LogStream | null>(null);
  const { pod, container, sinceSeconds, at } = choice;
  useEffect(() => {
    const made = new LogStream({
      project,
      ...startOf({ sinceSeconds, at }),
      ...(pod !== undefined && { podName: pod }),
      ...(container !== undefined && { container }),
      at,
      clock: systemClock,
      network,
      fetch: (input, init) => fetch(input, init),
      nextFrame: (work) => void requestAnimationFrame(work),
    });
    setStream(made);
    made.run().catch(reportError);
    return () => made.stop();
  }, [project, pod, container, sinceSeconds, at]);
  return stream;
}

/** Draws the component again when the value changes, at most once per frame. */
export function useStreamValue<Value>(stream: LogStream, read: (stream: LogStream) => Value): Value {
  return useSyncExternalStore(stream.subscribe, () => read(stream));
}

function startOf({ sinceSeconds, at }: Pick<StreamChoice, 'sinceSeconds' | 'at'>): {
  tailLines?: number;
  sinceSeconds?: number;
} {
  if (at !== null) {
    const age = Math.ceil((systemClock.now() - at) / 1000);
    return { sinceSeconds: Math.max(0, age) + AT_MARGIN_SECONDS };
  }
  return { tailLines: TAIL_LINES, ...(sinceSeconds !== undefined && { sinceSeconds }) };
}

const network: Network = {
  get online() {
    return navigator.onLine;
  },
  onChange(listener) {
    for (const name of ['online', 'offline']) addEventListener(name, listener);
    return () => {
      for (const name of ['online', 'offline']) removeEventListener(name, listener);
    };
  },
};

/** A server under test. */
import type { ChildProcess } from 'node:child_process';
import type { CallInput, CallName, CallResult } from '../src/app/ask-server.ts';
import type { Listening } from './child-process.ts';
import type { Scenario } from './plan.ts';
import type { Stage } from './stage.ts';

export interface Target {
  readonly name: string;
  readonly port: number;
  readonly key: string | null;
  /** Sent with each call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it can be measured with this; everything if absent. */
  takes?(scenario: Pick<Scenario, 'kind' | 'streams'>): boolean;
  /** All processes that do its work. */
  pids(): number[];
  /** How many calls it has charged so far; null where nothing is metered. */
  readonly chargedCalls: (() => Promise<number>) | null;
  /** Where it tells of itself, if it does. */
  readonly metricsUrl?: string;
  /** Runs an operation of administration; only the gateway has any. */
  ask?<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallResult<Name> | null>;
  /** Where its profiles are once it has stopped. */
  readonly profileFolder: string | null;
}

const LISTEN_MS_MAX = 20_000;

/** One of the benchmark's own servers: resolves once it listens. */
export async function startOwnServer(
  stage: Stage,
  file: string,
  args: readonly string[],
): Promise<{ port: number; pid: number }> {
  const child = stage.fork(file, args);
  const listening = new Promise<Listening>((resolve) => child.once('message', resolve as () => void));
  const { port } = await within(
    LISTEN_MS_MAX,
    `${file} does not listen`,
    Promise.race([listening, stage.broken]),
  );
  return { port, pid: pidOf(child) };
}

export function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error(`${child.spawnfile} could not be started`);
  return child.pid;
}

export async function within<T>(limitMs: number, message: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const LOOK_MS = 50;

/** Asks until there is an answer. */
export async function waitFor<T>(limitMs: number, message: string, ask: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    const answer = await ask();
    if (answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(message);
}

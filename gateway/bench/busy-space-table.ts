/** What the commits of one busy space tell. Pure. */
import { GROUP_CALLS_MAX } from '../src/metering/call-writer.ts';
import type { Table } from './table.ts';

export interface BusyPoint {
  readonly processes: number;
  /** Calls of each process that wait for their commit at any time. */
  readonly callers: number;
  readonly callsPerSecond: number;
  readonly callsPerCommit: number;
  /** From one commit of the space to the next. */
  readonly commitMs: number;
  /** Commits that wait for the lock of another one, on average. */
  readonly waiting: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly databaseUsPerCall: number;
  readonly clientUsPerCall: number;
}

export function busyTable(points: readonly BusyPoint[]): Table {
  const { fixedMs, perCallMs } = fitTurn(points.filter(({ processes }) => processes > 1));
  const limit = (GROUP_CALLS_MAX * 1_000) / (fixedMs + GROUP_CALLS_MAX * perCallMs);
  return {
    title: 'One busy space over several processes',
    head: [
      ...['processes', 'calls waiting in each', 'calls/s', 'calls per commit', 'ms per commit'],
      ...['commits waiting for the lock', 'p50 ms', 'p99 ms', 'PostgreSQL µs/call', 'recorder µs/call'],
    ],
    rows: points.map((point) => [
      String(point.processes),
      String(point.callers),
      Math.round(point.callsPerSecond).toLocaleString('en-US'),
      point.callsPerCommit.toFixed(0),
      point.commitMs.toFixed(2),
      point.waiting.toFixed(1),
      point.p50Ms.toFixed(1),
      point.p99Ms.toFixed(1),
      point.databaseUsPerCall.toFixed(0),
      point.clientUsPerCall.toFixed(0),
    ]),
    notes: [
      `With several processes, ${fixedMs.toFixed(2)} ms pass from one commit of the space to the next, and ` +
        `${(perCallMs * 1_000).toFixed(0)} µs more for each call in it (least squares over these rows). That would be ` +
        `${(Math.round(limit / 1_000) * 1_000).toLocaleString('en-US')} calls/s with the largest commits, of ${GROUP_CALLS_MAX} calls.`,
      'The processes, PostgreSQL and the disk share the cores of one machine. So this time is the lock and also waiting for ' +
        'a core. Where less than one commit waits for the lock on average, the lock is not always taken.',
    ],
  };
}

/** The line through the commits, by the calls in them. */
function fitTurn(points: readonly BusyPoint[]): { fixedMs: number; perCallMs: number } {
  const mean = (of: (point: BusyPoint) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [calls, ms] = [mean((point) => point.callsPerCommit), mean((point) => point.commitMs)];
  const perCallMs =
    mean((point) => (point.callsPerCommit - calls) * (point.commitMs - ms)) /
    mean((point) => (point.callsPerCommit - calls) ** 2);
  return { fixedMs: ms - perCallMs * calls, perCallMs };
}

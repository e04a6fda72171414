/** What the commits of several processes tell. Pure. */
import type { Table } from './table.ts';

export interface CommitPoint {
  readonly processes: number;
  readonly spaces: number;
  /** Calls of each process that wait for their commit at any time. */
  readonly callers: number;
  readonly callsPerSecond: number;
  readonly callsPerCommit: number;
  /** Connections that wait for a lock, on average. */
  readonly waiting: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly databaseUsPerCall: number;
  readonly recorderUsPerCall: number;
}

export function commitsTable(points: readonly CommitPoint[], { slow }: { slow: boolean }): Table {
  const alone = (of: CommitPoint): CommitPoint | undefined =>
    points.find((one) => one.processes === 1 && one.spaces === of.spaces && one.callers === of.callers);
  return {
    title: slow ? 'Commits that take 20 ms' : 'Commits on the disk of this machine',
    head: [
      'spaces',
      'calls waiting in each process',
      'processes',
      'calls/s',
      '× one process',
      'calls per commit',
      'p50 ms',
      'p99 ms',
      'PostgreSQL µs/call',
      'recorder µs/call',
      'waiting for locks',
    ],
    rows: points.map((point) => [
      String(point.spaces),
      String(point.callers),
      String(point.processes),
      Math.round(point.callsPerSecond).toLocaleString('en-US'),
      (point.callsPerSecond / (alone(point)?.callsPerSecond ?? point.callsPerSecond)).toFixed(2),
      point.callsPerCommit.toFixed(1),
      point.p50Ms.toFixed(1),
      point.p99Ms.toFixed(1),
      point.databaseUsPerCall.toFixed(0),
      point.recorderUsPerCall.toFixed(0),
      point.waiting.toFixed(2),
    ]),
    notes: [
      'Processes, PostgreSQL and the disk share the cores of one machine. Waiting for locks: connections that wait for a row or ' +
        'a transaction of another one, on average over looks every 20 ms.',
    ],
  };
}

/** The metrics of purses: what calls hold of units and limits, and how processes share them. */
import type { Registry } from 'prom-client';
import { printUnits, type Units } from '../kernel/units.ts';
import { counter, gauge, gaugeBy } from './read-metrics.ts';

export interface PurseSources {
  readonly kinds: () => ReadonlyArray<{
    readonly kind: string;
    readonly purses: number;
    readonly held: Units;
  }>;
  /** Since the start of the process. */
  readonly asked: () => number;
  /** What calls hold now, and the rest since the start of the process. */
  readonly activity: () => {
    readonly holds: number;
    readonly oldestHoldMs: number;
    readonly recallsSent: number;
    readonly recallsAnswered: number;
    readonly slicesFolded: number;
  };
}

export function registerPurses(sources: PurseSources, registers: Registry[]): void {
  const { activity } = sources;
  gaugeBy(
    {
      name: 'tollgate_purses',
      label: 'kind',
      help: 'Units of spaces, monthly limits of keys and members, and hard budgets that this process uses.',
    },
    () => sources.kinds().map(({ kind, purses }) => [kind, purses] as const),
    registers,
  );
  gaugeBy(
    {
      name: 'tollgate_purse_held_units',
      label: 'kind',
      help: 'Units that running calls hold of them. A call holds of several kinds, so do not add them up.',
    },
    () => sources.kinds().map(({ kind, held }) => [kind, Number(printUnits(held))] as const),
    registers,
  );
  gauge(
    'tollgate_purse_holds',
    'Running calls that hold units or a part of a limit.',
    () => activity().holds,
    registers,
  );
  gauge(
    'tollgate_purse_holds_oldest_seconds',
    'How long the oldest of them has held something; 0 if there is none.',
    () => activity().oldestHoldMs / 1000,
    registers,
  );
  counter(
    {
      name: 'tollgate_purse_asks_total',
      help: 'Slices of units and limits that the database was asked for.',
    },
    () => [{ value: sources.asked(), labels: {} }],
    registers,
  );
  counter(
    {
      name: 'tollgate_purse_recalls_total',
      help: 'Slices that were called back from other processes (sent) or given back to them (answered).',
    },
    () => {
      const { recallsSent, recallsAnswered } = activity();
      return [
        { value: recallsSent, labels: { how: 'sent' } },
        { value: recallsAnswered, labels: { how: 'answered' } },
      ];
    },
    registers,
  );
  counter(
    {
      name: 'tollgate_purse_slices_folded_total',
      help: 'Slices of processes that have ended which this process gave back.',
    },
    () => [{ value: activity().slicesFolded, labels: {} }],
    registers,
  );
}

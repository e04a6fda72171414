/** What a fault did to callers and to the books, as figures and as a line of text. */
import { loadavg } from 'node:os';
import type { SeenCall } from '../../simulator/journal.ts';
import type { Verdict } from '../../src/reports/verify-books.store.ts';
import { repeatedAsks, repeatedIds, wrongCharges } from '../chaos/audit.ts';
import { imbalances, type Ledger } from '../chaos/ledger.ts';
import type { OtherNote, TimedNote } from './fault-load.ts';

export interface FaultRun {
  readonly name: string;
  readonly notes: readonly TimedNote[];
  readonly others: readonly OtherNote[];
  readonly seen: readonly SeenCall[];
  readonly beganMs: number;
  /** When what was broken works again. */
  readonly overMs: number;
  readonly ledger: Ledger;
  readonly verdict: Verdict;
}

export interface FaultFigures {
  /** How often each answer was given, such as `200` and `503 service_unavailable`. */
  readonly answers: Readonly<Record<string, number>>;
  readonly others: Readonly<Record<string, number>>;
  readonly longestMs: number;
  readonly longestOtherMs: number;
  /** From the end of the fault to the first full answer to a call. */
  readonly againMs: number;
  /** From the end of the fault to the last answer that was a failure; 0 if there was none. */
  readonly lastFailureMs: number;
  /** Answers that the provider finished, and rows that are not failures. */
  readonly provided: number;
  readonly recorded: number;
}

export function figuresOf(run: FaultRun): FaultFigures {
  const { notes, others, overMs } = run;
  const full = notes.filter((note) => note.end === 'full' && note.endedMs >= overMs);
  const failed = notes.filter((note) => note.end !== 'full' && note.endedMs >= overMs);
  return {
    answers: countOf(notes.map(answerOf)),
    others: countOf(others.map(({ answer }) => answer)),
    longestMs: longestOf(notes),
    longestOtherMs: longestOf(others),
    againMs: Math.min(...full.map(({ endedMs }) => endedMs)) - overMs,
    lastFailureMs: Math.max(overMs, ...failed.map(({ endedMs }) => endedMs)) - overMs,
    provided: run.seen.filter((call) => call.finished && call.path.includes('chat')).length,
    recorded: run.ledger.calls.filter(({ outcome }) => outcome !== 'failed').length,
  };
}

/** Every charge that is missing, doubled or wrong, and every figure that does not follow from the journal. */
export function wrongBooks({ notes: clients, seen, ledger, verdict }: FaultRun): string[] {
  const provider = seen.flatMap((call) => /call-\d+\./.exec(call.text)?.[0] ?? []);
  const journals = { clients, provider, ledger };
  return [
    ...wrongCharges(journals),
    ...repeatedIds(journals).map((id) => `${id} stands for two calls`),
    ...repeatedAsks(journals).map((mark) => `${mark} was sent to the provider twice`),
    ...imbalances(ledger),
    ...verdict.disagreements.map((one) => JSON.stringify(one)),
  ];
}

export function printFigures(name: string, figures: FaultFigures): string {
  const { answers, others, provided, recorded } = figures;
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  const load = loadavg()[0]?.toFixed(1);
  return [
    `${name}: ${printCounts(answers)}`,
    `longest ${seconds(figures.longestMs)}`,
    `answered again ${seconds(figures.againMs)} after the end, last failure ${seconds(figures.lastFailureMs)} after it`,
    `${provided} answers of the provider, ${recorded} recorded`,
    ...(Object.keys(others).length > 0
      ? [`others ${printCounts(others)}, longest ${seconds(figures.longestOtherMs)}`]
      : []),
    `load ${load}`,
  ].join('; ');
}

function answerOf({ end, status, refusal }: TimedNote): string {
  if (end === 'full') return '200';
  if (status === null) return 'no answer';
  if (status === 200) return '200, ended with an error';
  const { type } = JSON.parse(refusal || '{}') as { type?: string };
  return `${status} ${type ?? ''}`.trim();
}

function countOf(values: readonly string[]): Record<string, number> {
  const groups = [...Map.groupBy(values, (value) => value)];
  return Object.fromEntries(groups.map(([value, all]) => [value, all.length]));
}

function printCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([answer, count]) => `${count} × ${answer}`)
    .join(', ');
}

function longestOf(notes: ReadonlyArray<{ beganMs: number; endedMs: number }>): number {
  return Math.max(0, ...notes.map(({ beganMs, endedMs }) => endedMs - beganMs));
}

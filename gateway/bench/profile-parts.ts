/** What the processor time of a call is spent on, from a V8 profile: each function belongs to a part of the work. Pure. */
import type { Scenario } from './plan.ts';
import type { Table } from './table.ts';

export interface CpuProfile {
  readonly nodes: ReadonlyArray<{
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }>;
  /** In microseconds of the clock that all processes share (CLOCK_MONOTONIC). */
  readonly startTime: number;
  readonly endTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A time in which a scenario was measured. */
export interface ProfileWindow {
  readonly scenario: Scenario['name'];
  readonly fromUs: number;
  readonly toUs: number;
  readonly calls: number;
}

const IDLE = '(idle)';
const OTHER = 'Node and V8, not of one part';
/** Functions without a file of their own. */
const BY_NAME: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\(idle\)$/, IDLE],
  [/^\(garbage collector\)$/, 'garbage collection'],
  [/^\(program\)$/, 'the system: reads, polling, time between functions'],
  [
    /^(write(Latin1String|Utf8String|Buffer|AsciiString|v)|shutdown|readStart|readStop)$/,
    'the system: writes',
  ],
];
/** By the file; the first that fits. What is not listed belongs to the part of its caller. */
const BY_FILE: ReadonlyArray<readonly [RegExp, string]> = [
  [/node_modules\/(pg|pg-protocol|pg-types|pgpass)\/|\/src\/database\//, 'driver of the database'],
  [/\/src\/metering\/call-recorder|\/src\/metering\/commit-lanes|\/src\/metering\/calls\.store/, 'commit'],
  [/\/src\/(pricing|metering|ledger)\//, 'price and record of the call'],
  [/\/src\/(access|rates)\//, 'keys and limits'],
  [
    /\/src\/kernel\/json\/|\/src\/contract\/|\/src\/text\/|\/src\/tokens\/|\/src\/catalog\//,
    'checks and splice',
  ],
  [/\/src\/(net|providers)\//, 'connection to the provider'],
  [/\/src\/(edge|http)\/|node:_http/, 'connection to the caller'],
  [/\/src\/calls\//, 'course of the call'],
  [/\/src\/telemetry\//, 'metrics and log'],
];

/** One column for each scenario, in microseconds per call. */
export function partsTable(title: string, profile: CpuProfile, windows: readonly ProfileWindow[]): Table {
  const names = [...new Set(windows.map(({ scenario }) => scenario))];
  const columns = names.map((name) =>
    timesByPart(
      profile,
      windows.filter(({ scenario }) => scenario === name),
    ),
  );
  const parts = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  const inFirst = (part: string): number => columns[0]?.get(part) ?? 0;
  const total = (column: ReadonlyMap<string, number>): number =>
    [...column.values()].reduce((sum, us) => sum + us, 0);
  return {
    title,
    head: ['µs per call', ...names],
    rows: [
      ...parts
        .sort((a, b) => inFirst(b) - inFirst(a))
        .map((part) => [part, ...columns.map((column) => (column.get(part) ?? 0).toFixed(1))]),
      ['together', ...columns.map((column) => total(column).toFixed(1))],
    ],
    notes: [],
  };
}

function timesByPart(profile: CpuProfile, windows: readonly ProfileWindow[]): Map<string, number> {
  const parts = partsOf(profile);
  const calls = windows.reduce((sum, window) => sum + window.calls, 0);
  const times = new Map<string, number>();
  let atUs = profile.startTime;
  profile.samples.forEach((id, i) => {
    const us = Math.max(0, profile.timeDeltas[i] ?? 0);
    atUs += us;
    const part = parts.get(id) ?? OTHER;
    if (part === IDLE || !windows.some(({ fromUs, toUs }) => atUs >= fromUs && atUs <= toUs)) return;
    times.set(part, (times.get(part) ?? 0) + us / calls);
  });
  return times;
}

function partsOf({ nodes }: CpuProfile): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const waiting = nodes[0] === undefined ? [] : [{ id: nodes[0].id, inherited: OTHER }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const node = byId.get(next.id);
    if (node === undefined) continue;
    const { functionName, url } = node.callFrame;
    const named = BY_NAME.find(([name]) => name.test(functionName))?.[1];
    const own = named ?? BY_FILE.find(([file]) => file.test(url))?.[1] ?? next.inherited;
    parts.set(next.id, own);
    for (const id of node.children ?? []) waiting.push({ id, inherited: own });
  }
  return parts;
}

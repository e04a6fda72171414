/** The tables of a run, and how it stands against the targets. Pure. */
import { type Figures, figuresOf } from './figures.ts';
import type { TargetName } from './flags.ts';
import { IMAGE_BYTES, IMAGES_AT_ONCE, type ImagesSample } from './images.ts';
import type { Measurement, MemorySample } from './measure.ts';
import type { Plan, Scenario } from './plan.ts';
import type { Table } from './table.ts';
import { CONTENT_FRAMES } from './workload.ts';

const NONE = '–';
const BASE: TargetName = 'bare-node';

export function reportTables(measurement: Measurement, plan: Plan): Table[] {
  const tables = plan.scenarios.map((scenario) =>
    scenarioTable(scenario, figuresIn(measurement, scenario.name)),
  );
  if (plan.long) return [...tables, longGoalsTable(measurement, plan)];
  const memory = [...measurement.memory].map(([target, sample]) => [target.name, sample] as const);
  return [...tables, memoryTable(memory, plan), goalsTable(measurement)];
}

function figuresIn(measurement: Measurement, scenario: Scenario['name']): Figures[] {
  const byTarget = measurement.samples.get(scenario) ?? new Map();
  return [...byTarget].map(([target, samples]) => figuresOf(target.name, samples));
}

function scenarioTable(scenario: Scenario, all: readonly Figures[]): Table {
  const base = all.find(({ name }) => name === BASE);
  const column = (title: string, cell: (figures: Figures) => string) => ({ title, cell });
  const added = (figures: Figures, of: 'p50Ms' | 'p99Ms'): string =>
    base === undefined || figures === base ? NONE : (figures[of] - base[of]).toFixed(2);
  const columns = [
    column('', ({ name }) => name),
    column('calls/s', ({ callsPerSecond }) => callsPerSecond.toFixed(0)),
    ...(scenario.streams
      ? [column('frames/s', ({ callsPerSecond }) => (callsPerSecond * CONTENT_FRAMES).toFixed(0))]
      : []),
    column('CPU µs/call', ({ cpuUsPerCall }) => cpuUsPerCall.toFixed(1)),
    column('(min–max)', ({ cpuUsRange: [min, max] }) => `${min.toFixed(0)}–${max.toFixed(0)}`),
    column(`× ${BASE}`, (figures) => ratio(figures, base)?.toFixed(2) ?? NONE),
    column('p50 ms', ({ p50Ms }) => p50Ms.toFixed(2)),
    column('p99 ms', ({ p99Ms }) => p99Ms.toFixed(2)),
    ...(scenario.kind === 'stamped'
      ? [
          column('first frame p50', ({ firstFrameP50Ms }) => firstFrameP50Ms.toFixed(2)),
          column('first frame p99', ({ firstFrameP99Ms }) => firstFrameP99Ms.toFixed(2)),
        ]
      : []),
    ...(scenario.kind === 'long'
      ? [
          column('loop p99 ms', ({ delayP99Ms }) => delayText(delayP99Ms)),
          column('loop max ms', ({ delayMaxMs }) => delayText(delayMaxMs)),
        ]
      : []),
    column('added p50', (figures) => added(figures, 'p50Ms')),
    column('added p99', (figures) => added(figures, 'p99Ms')),
    column('PostgreSQL µs/call', ({ name, databaseUsPerCall }) =>
      name === 'gateway/postgres' ? databaseUsPerCall.toFixed(1) : NONE,
    ),
  ];
  const upstream = base?.upstreamUsPerCall ?? all[0]?.upstreamUsPerCall;
  return {
    title: scenario.title,
    head: columns.map(({ title }) => title),
    rows: all.map((figures) => columns.map(({ cell }) => cell(figures))),
    notes:
      upstream === undefined
        ? []
        : [`The stand-in provider itself: ${upstream.toFixed(1)} µs of CPU per call.`],
  };
}

/** The interval of the timer that measures the delay; it is in the figure of an idle process. */
const DELAY_TIMER_MS = 10;

function delayText(value: number): string {
  return Number.isNaN(value) ? NONE : (value - DELAY_TIMER_MS).toFixed(1);
}

function ratio(figures: Figures | undefined, base: Figures | undefined): number | null {
  if (figures === undefined || base === undefined || base.cpuUsPerCall === 0) return null;
  return figures.cpuUsPerCall / base.cpuUsPerCall;
}

function memoryTable(samples: ReadonlyArray<readonly [string, MemorySample]>, plan: Plan): Table {
  const { count } = plan.slowStreams;
  const mib = (value: number | null): string => (value === null ? NONE : value.toFixed(0));
  return {
    title: 'Memory (resident, MiB)',
    head: [
      '',
      'idle after the start',
      'after the load',
      `with ${count} slow streams`,
      'streams at once',
      '60 s later',
    ],
    rows: samples.map(([name, { idleMib, afterLoadMib, streamsMib, streamsAtOnce, laterMib }]) => [
      name,
      mib(idleMib),
      mib(afterLoadMib),
      mib(streamsMib),
      streamsMib === null ? NONE : String(streamsAtOnce),
      mib(laterMib),
    ]),
    notes: [],
  };
}

interface Goal {
  readonly title: string;
  readonly scenario: Scenario['name'];
  readonly name: TargetName;
  readonly limit: number;
  readonly unit: string;
  readonly value: (figures: Figures, base: Figures) => number | null;
}

type Measured = Pick<Goal, 'unit' | 'value'>;
const perBase: Measured = { unit: `× ${BASE}`, value: ratio };
const addedMs: Measured = { unit: 'ms', value: (figures, base) => figures.p50Ms - base.p50Ms };
const firstFrameMs: Measured = { unit: 'ms', value: ({ firstFrameP50Ms }) => firstFrameP50Ms };
type Wanted = Pick<Goal, 'title' | 'scenario' | 'limit'>;
const onPostgres = (wanted: Wanted, measured = perBase): Goal => ({
  name: 'gateway/postgres',
  ...wanted,
  ...measured,
});
const onEmbedded = (wanted: Wanted, measured = perBase): Goal => ({
  name: 'gateway/embedded',
  ...wanted,
  ...measured,
});

const json64 = { title: 'CPU of a JSON call, 64 connections', scenario: 'json-64' } as const;
const addedP50 = { title: 'Added p50 at a fixed rate', scenario: 'fixed-16' } as const;
const goals: readonly Goal[] = [
  onPostgres({ ...json64, limit: 1.25 }),
  onPostgres({ title: 'CPU of a JSON call, 16 connections', scenario: 'json-16', limit: 1.4 }),
  onPostgres({ title: 'CPU of a relayed stream of 20 frames', scenario: 'stream-64', limit: 1.15 }),
  onPostgres({ title: 'CPU of a translated stream of 20 frames', scenario: 'translated-64', limit: 2.5 }),
  onPostgres(
    { title: 'First frame after the provider sent it, p50', scenario: 'first-frame', limit: 1 },
    firstFrameMs,
  ),
  onPostgres({ title: 'CPU of 2,048 embeddings in digits', scenario: 'embeddings-float', limit: 1.3 }),
  onPostgres({ title: 'CPU of 2,048 embeddings in base64', scenario: 'embeddings-base64', limit: 1.3 }),
  onEmbedded({ ...json64, limit: 1.5 }),
  onEmbedded({ title: 'CPU of a JSON call at a fixed rate', scenario: 'fixed-16', limit: 2.5 }),
  onPostgres({ ...addedP50, limit: 1 }, addedMs),
  onEmbedded({ ...addedP50, limit: 0.7 }, addedMs),
];

/** What the budget of bytes in flight leaves a process. */
const IMAGES_MIB_MAX = 400;
const IMAGES_LAG_MS_MAX = 50;

function imageGoals(sample: ImagesSample | null): string[][] {
  const title = `${IMAGES_AT_ONCE} images of ${IMAGE_BYTES / 1_000_000} MB at once, PostgreSQL`;
  const goal = (what: string, of: { limit: number; unit: string; value: number | null }): string[] => [
    `${title}: ${what}`,
    `${of.limit.toFixed(0)} ${of.unit}`,
    of.value === null ? NONE : of.value.toFixed(0),
    of.value === null ? 'not measured' : of.value <= of.limit ? 'pass' : 'miss',
  ];
  const grownMib = sample === null ? null : sample.peakMib - sample.idleMib;
  return [
    goal('growth of memory', { limit: IMAGES_MIB_MAX, unit: 'MiB', value: grownMib }),
    goal('delay of the event loop, p99', {
      limit: IMAGES_LAG_MS_MAX,
      unit: 'ms',
      value: sample?.lagP99Ms ?? null,
    }),
  ];
}

const STREAMS_MIB_MAX = 400;

function goalsTable(measurement: Measurement): Table {
  const streams = [...measurement.memory].find(([target]) => target.name === 'gateway/postgres')?.[1];
  const mib = streams?.streamsMib ?? null;
  const memory = [
    'Memory with all slow streams open, PostgreSQL',
    `${STREAMS_MIB_MAX} MiB`,
    mib === null ? NONE : mib.toFixed(0),
    mib === null ? 'not measured' : mib <= STREAMS_MIB_MAX ? 'pass' : 'miss',
  ];
  return {
    title: 'Targets',
    head: GOAL_HEAD,
    rows: [...goalRows(measurement, goals), memory, ...imageGoals(measurement.images)],
    notes: [],
  };
}

const ENGINES: Partial<Record<TargetName, string>> = {
  'gateway/postgres': 'PostgreSQL',
  'gateway/embedded': 'embedded',
};
const GOAL_HEAD = ['', 'at most', 'measured', ''];

function goalRows(measurement: Measurement, wanted: readonly Goal[]): string[][] {
  return wanted.map((goal) => {
    const all = figuresIn(measurement, goal.scenario);
    const [figures, base] = [
      all.find(({ name }) => name === goal.name),
      all.find(({ name }) => name === BASE),
    ];
    const value = figures === undefined || base === undefined ? null : goal.value(figures, base);
    const verdict = value === null ? 'not measured' : value <= goal.limit ? 'pass' : 'miss';
    const title = `${goal.title}, ${ENGINES[goal.name] ?? goal.name}`;
    return [title, `${goal.limit} ${goal.unit}`, value === null ? NONE : value.toFixed(2), verdict];
  });
}

const LONG_RATIO_MAX = 1.15;
const LONG_DELAY_MS_MAX = 10;

function longGoalsTable(measurement: Measurement, plan: Plan): Table {
  const rows = plan.scenarios.map((scenario): Goal => {
    const { title, name } = scenario;
    return {
      title,
      scenario: name,
      name: 'gateway/postgres',
      limit: LONG_RATIO_MAX,
      unit: `× ${BASE}`,
      value: ratio,
    };
  });
  const delays = plan.scenarios.map((scenario): Goal => {
    const title = `${scenario.title}: delay of the event loop, p99`;
    const of = { title, scenario: scenario.name, name: 'gateway/postgres', unit: 'ms' } as const;
    return { ...of, limit: LONG_DELAY_MS_MAX, value: ({ delayP99Ms }) => delayP99Ms - DELAY_TIMER_MS };
  });
  return {
    title: 'Targets of long prompts',
    head: GOAL_HEAD,
    rows: goalRows(measurement, [...rows, ...delays]),
    notes: [],
  };
}

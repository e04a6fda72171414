/** How much is run. Every figure is the median of rounds in which the targets take turns. */
import type { BenchFlags, Part } from './flags.ts';

export interface Scenario {
  readonly name:
    | 'json-64'
    | 'json-16'
    | 'stream-64'
    | 'translated-64'
    | 'first-frame'
    | 'fixed-16'
    | 'embeddings-float'
    | 'embeddings-base64'
    | LongName;
  readonly title: string;
  readonly parts: readonly Part[];
  readonly streams: boolean;
  /** What is asked for; a translated call reaches a provider of another protocol. */
  readonly kind: 'relayed' | 'translated' | 'stamped' | 'embeddings-float' | 'embeddings-base64' | 'long';
  /** Of the body of a long call. */
  readonly bodyBytes?: number;
  readonly connections: number;
  readonly ratePerSecond: number | null;
}

type LongName = `long-${'300k' | '1m' | '10m'}${'' | '-stream'}`;

export const FIXED_RATE = 400;
export const FIRST_FRAME_RATE = 100;

const json = { kind: 'relayed', streams: false, ratePerSecond: null } as const;
const stream = { ...json, streams: true, connections: 64 } as const;
const embeddings = { ...json, parts: ['embeddings'], connections: 4 } as const;

const scenarios: readonly Scenario[] = [
  { ...json, name: 'json-64', title: 'JSON, closed loop, 64 connections', parts: ['json'], connections: 64 },
  {
    ...json,
    name: 'json-16',
    title: 'JSON, closed loop, 16 connections',
    parts: ['json', 'latency'],
    connections: 16,
  },
  {
    ...json,
    name: 'fixed-16',
    title: `JSON at a fixed ${FIXED_RATE} calls/s, 16 connections`,
    parts: ['latency'],
    connections: 16,
    ratePerSecond: FIXED_RATE,
  },
  {
    ...stream,
    name: 'stream-64',
    title: 'Streams of 20 frames, closed loop, 64 connections',
    parts: ['stream'],
  },
  {
    ...stream,
    name: 'translated-64',
    title: 'Streams of 20 frames from a provider of another protocol, closed loop, 64 connections',
    parts: ['stream'],
    kind: 'translated',
  },
  {
    ...stream,
    name: 'first-frame',
    title: `The first frame of a stream at a fixed ${FIRST_FRAME_RATE} streams/s, 16 connections`,
    parts: ['stream', 'latency'],
    kind: 'stamped',
    connections: 16,
    ratePerSecond: FIRST_FRAME_RATE,
  },
  {
    ...embeddings,
    name: 'embeddings-float',
    title: '2,048 embeddings of 1,536 numbers in digits, closed loop, 4 connections',
    kind: 'embeddings-float',
  },
  {
    ...embeddings,
    name: 'embeddings-base64',
    title: '2,048 embeddings of 1,536 numbers in base64, closed loop, 4 connections',
    kind: 'embeddings-base64',
  },
  ...longScenarios({ size: '300k', bodyBytes: 300_000, connections: 16 }),
  ...longScenarios({ size: '1m', bodyBytes: 1_000_000, connections: 16 }),
  ...longScenarios({ size: '10m', bodyBytes: 10_000_000, connections: 4 }),
];

function longScenarios(of: {
  size: '300k' | '1m' | '10m';
  bodyBytes: number;
  connections: number;
}): Scenario[] {
  const { size, bodyBytes, connections } = of;
  const shown = bodyBytes < 1_000_000 ? `${bodyBytes / 1_000} KB` : `${bodyBytes / 1_000_000} MB`;
  const shape = { parts: ['long'], kind: 'long', bodyBytes, connections, ratePerSecond: null } as const;
  return [
    {
      name: `long-${size}`,
      streams: false,
      ...shape,
      title: `Prompts of ${shown}, whole answers, closed loop, ${connections} connections`,
    },
    {
      name: `long-${size}-stream`,
      streams: true,
      ...shape,
      title: `Prompts of ${shown}, streams of 20 frames, closed loop, ${connections} connections`,
    },
  ];
}

export interface Plan {
  readonly scenarios: readonly Scenario[];
  /** Calls have as few headers as possible, not the usual ones. */
  readonly shortHeads: boolean;
  readonly memory: boolean;
  readonly images: boolean;
  /** Calls with long prompts, which have tables of their own. */
  readonly long: boolean;
  readonly batchCheck: boolean;
  /** How long the victim is measured under each attack; null where neighbours are not. */
  readonly neighbours: { readonly windowMs: number; readonly afterMs: number } | null;
  /** Whether anything is measured that servers are needed for. */
  readonly servers: boolean;
  readonly rounds: number;
  readonly windowMs: number;
  /** Of embeddings, which take long each. */
  readonly largeWindowMs: number;
  readonly windowCallsMax: number;
  /** Before the first round, so that the compilers of V8 and of the embedded engine have settled. */
  readonly warmUp: {
    readonly wholeCalls: number;
    readonly streamCalls: number;
    readonly embeddingCalls: number;
    /** Bytes of long calls per scenario. */
    readonly longBytes: number;
    readonly timeMs: number;
    /** Again before the rounds of each scenario: V8 compiles again when the kind of load changes. */
    readonly scenarioCalls: number;
    readonly scenarioMs: number;
    /** Again before each round. */
    readonly roundMs: number;
  };
  readonly slowStreams: { readonly count: number; readonly frameMs: number };
}

export function makePlan(flags: BenchFlags): Plan {
  return {
    scenarios: scenarios.filter((scenario) => scenario.parts.some((part) => flags.parts.includes(part))),
    shortHeads: flags.shortHeads,
    memory: flags.parts.includes('memory'),
    images: flags.parts.includes('images'),
    long: flags.parts.includes('long'),
    batchCheck: flags.parts.includes('batch-check'),
    neighbours: flags.parts.includes('neighbours')
      ? { windowMs: flags.quick ? 10_000 : 30_000, afterMs: flags.quick ? 10_000 : 60_000 }
      : null,
    servers: flags.parts.some((part) => part !== 'batch-check'),
    rounds: flags.quick ? 3 : 5,
    windowMs: flags.quick ? 1_000 : 2_500,
    largeWindowMs: flags.quick ? 4_000 : 6_000,
    windowCallsMax: 50_000,
    warmUp: {
      wholeCalls: flags.quick ? 8_000 : 20_000,
      streamCalls: flags.quick ? 3_000 : 20_000,
      embeddingCalls: 16,
      longBytes: 2_000_000_000,
      timeMs: flags.quick ? 12_000 : 20_000,
      scenarioCalls: 20_000,
      scenarioMs: flags.quick ? 3_000 : 8_000,
      roundMs: flags.quick ? 1_000 : 2_000,
    },
    slowStreams: { count: 2_000, frameMs: flags.quick ? 150 : 500 },
  };
}

export function isLong({ kind }: Scenario): boolean {
  return kind === 'long';
}

export function embeds({ kind }: Scenario): boolean {
  return kind === 'embeddings-float' || kind === 'embeddings-base64';
}

/** Takes the figures: rounds of load in which the targets take turns, and what they cost. */
import type { ChildProcess } from 'node:child_process';
import type { BenchDatabase } from './database.ts';
import { EMBEDDING_MODEL } from './embeddings-workload.ts';
import { eventLoopDelay } from './event-loop-delay.ts';
import { IMAGES_AT_ONCE, type ImagesSample, makeImagesAtOnce } from './images.ts';
import type { LoadAnswer, LoadJob, LoadResult } from './load-job.ts';
import { embeds, isLong, type Plan, type Scenario } from './plan.ts';
import { cpuUs, rssMib } from './process-figures.ts';
import type { ProfileWindow } from './profile-parts.ts';
import { type Target, within } from './target.ts';
import { callerHeaders } from './usual-heads.ts';
import { MODEL, STAMPED_MODEL, slowModel, TRANSLATED_MODEL } from './workload.ts';

export interface Sample extends LoadResult {
  readonly cpuUs: number;
  readonly upstreamCpuUs: number;
  readonly databaseCpuUs: number;
  /** NaN where the target does not tell. */
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

export interface MemorySample {
  idleMib: number;
  afterLoadMib: number | null;
  streamsMib: number | null;
  streamsAtOnce: number;
  /** At rest again, after streams and images. */
  laterMib: number | null;
}

const GRACE_MS = 20_000;
const ANSWER_MS_MAX = 60_000;
const LOOK_MS = 200;
const WARM_CONNECTIONS = 64;

export interface MeasureTools {
  readonly plan: Plan;
  readonly load: ChildProcess;
  readonly upstreamPid: number;
  readonly database: BenchDatabase | null;
  /** Rejects when one of the processes has ended. */
  readonly broken: Promise<never>;
  readonly say: (line: string) => void;
}

export class Measurement {
  readonly #tools: MeasureTools;
  readonly samples = new Map<Scenario['name'], Map<Target, Sample[]>>();
  readonly memory = new Map<Target, MemorySample>();
  images: ImagesSample | null = null;
  readonly #answered = new Map<Target, number>();
  /** When each target was measured with what. */
  readonly #windows = new Map<Target, ProfileWindow[]>();
  readonly faults: string[] = [];

  constructor(tools: MeasureTools) {
    this.#tools = tools;
  }

  async warmUp(targets: readonly Target[]): Promise<void> {
    const { plan, say } = this.#tools;
    const { wholeCalls, streamCalls, timeMs } = plan.warmUp;
    for (const streams of [false, true]) {
      // Long calls take the same way as usual ones, so these warm it up for them.
      if (!plan.scenarios.some((scenario) => scenario.streams === streams && !embeds(scenario))) continue;
      const callsMax = streams ? streamCalls : wholeCalls;
      for (const target of taking(targets, { kind: 'relayed', streams })) {
        const shape = { streams, connections: WARM_CONNECTIONS, ratePerSecond: null, callsMax, timeMs };
        const { calls } = await this.#run(target, { ...shape, ...asked('relayed', target) });
        say(`warm-up ${target.name}: ${calls} ${streams ? 'streams' : 'calls'}`);
        if (streams) await this.#run(target, { ...shape, ...asked('translated', target) });
      }
    }
    for (const scenario of plan.scenarios.filter(embeds)) {
      const { kind, connections } = scenario;
      const { embeddingCalls: callsMax } = plan.warmUp;
      const shape = { streams: false, connections, ratePerSecond: null, callsMax, timeMs };
      for (const target of taking(targets, scenario))
        await this.#run(target, { ...shape, ...asked(kind, target) });
    }
    for (const scenario of plan.scenarios.filter(isLong)) {
      const { kind, connections, streams, bodyBytes = 0 } = scenario;
      const callsMax = Math.ceil(plan.warmUp.longBytes / bodyBytes);
      const shape = { streams, connections, ratePerSecond: null, callsMax, timeMs };
      for (const target of taking(targets, scenario))
        await this.#run(target, { ...shape, ...asked(kind, target), bodyBytes });
    }
  }

  async measure(scenario: Scenario, targets: readonly Target[]): Promise<void> {
    const { plan, say } = this.#tools;
    const byTarget = new Map(taking(targets, scenario).map((target) => [target, [] as Sample[]]));
    this.samples.set(scenario.name, byTarget);
    const { scenarioCalls: callsMax, scenarioMs: timeMs } = plan.warmUp;
    for (const target of byTarget.keys()) await this.#warmUpFor(scenario, target, { callsMax, timeMs });
    for (let round = 1; round <= plan.rounds; round++) {
      for (const [target, samples] of byTarget) {
        await this.#warmUpAgain(scenario, target);
        const sample = await this.#sample(scenario, target);
        samples.push(sample);
        const perCall = (sample.cpuUs / Math.max(1, sample.calls)).toFixed(0);
        say(
          `${scenario.name} ${round}/${plan.rounds} ${target.name}: ${sample.calls} calls, ` +
            `${perCall} µs, p50 ${sample.p50Ms.toFixed(2)} ms`,
        );
      }
    }
  }

  /** The first calls after a pause cost more. Steady load is measured, not its beginning. */
  async #warmUpAgain(scenario: Scenario, target: Target): Promise<void> {
    if (embeds(scenario) || isLong(scenario)) return;
    const { scenarioCalls: callsMax, roundMs: timeMs } = this.#tools.plan.warmUp;
    await this.#warmUpFor(scenario, target, { callsMax, timeMs });
  }

  /** At a fixed rate the calls are too few for the compilers, so these come in a closed loop. */
  async #warmUpFor(
    scenario: Scenario,
    target: Target,
    { callsMax, timeMs }: { callsMax: number; timeMs: number },
  ): Promise<void> {
    const { kind, streams, connections, bodyBytes = 0 } = scenario;
    const shape = { streams, connections, ratePerSecond: null, callsMax, timeMs };
    await this.#run(target, { ...shape, ...asked(kind, target), bodyBytes });
  }

  noteIdle(targets: readonly Target[]): void {
    for (const target of targets) {
      const idleMib = rssMib(target.pids());
      const unknown = { afterLoadMib: null, streamsMib: null, laterMib: null };
      this.memory.set(target, { idleMib, ...unknown, streamsAtOnce: 0 });
    }
  }

  noteLoaded(targets: readonly Target[]): void {
    for (const target of targets) {
      const memory = this.memory.get(target);
      if (memory !== undefined) memory.afterLoadMib = rssMib(target.pids());
    }
  }

  noteLater(targets: readonly Target[]): void {
    for (const target of targets) {
      const memory = this.memory.get(target);
      if (memory !== undefined) memory.laterMib = rssMib(target.pids());
    }
  }

  /** Many streams that are mostly silent: what each open call holds. */
  async holdStreams(targets: readonly Target[]): Promise<void> {
    for (const target of taking(targets, { kind: 'relayed', streams: true })) await this.#holdStreams(target);
  }

  async #holdStreams(target: Target): Promise<void> {
    const { plan, say } = this.#tools;
    const { count, frameMs } = plan.slowStreams;
    let peak = 0;
    const looking = setInterval(() => {
      peak = Math.max(peak, rssMib(target.pids()));
    }, LOOK_MS);
    try {
      const slow = { ...asked('relayed', target), model: slowModel(frameMs), streams: true };
      const job = { ...slow, connections: count, ratePerSecond: null };
      const { calls, inFlightMax } = await this.#run(target, { ...job, callsMax: count, timeMs: 10_000 });
      if (calls !== count) this.faults.push(`${target.name}: ${calls} of ${count} slow streams completed`);
      const memory = this.memory.get(target);
      if (memory !== undefined) Object.assign(memory, { streamsMib: peak, streamsAtOnce: inFlightMax });
      say(`memory ${target.name}: ${inFlightMax} streams at once, ${peak.toFixed(0)} MiB`);
    } finally {
      clearInterval(looking);
    }
  }

  /** Once, on PostgreSQL alone: the engine has no part in what images take. */
  async makeImages(targets: readonly Target[]): Promise<void> {
    const target = targets.find(({ name }) => name === 'gateway/postgres');
    if (target === undefined) return;
    const sample = await makeImagesAtOnce(target);
    this.images = sample;
    this.faults.push(...sample.faults.map((fault) => `${target.name}: ${fault}`));
    this.#answered.set(target, (this.#answered.get(target) ?? 0) + sample.calls);
    const grownMib = (sample.peakMib - sample.idleMib).toFixed(0);
    this.#tools.say(
      `images ${target.name}: ${IMAGES_AT_ONCE} at once in ${sample.elapsedMs.toFixed(0)} ms, ${grownMib} MiB more, ` +
        `event loop p99 ${sample.lagP99Ms.toFixed(1)} ms`,
    );
  }

  /** Every reply that was delivered in full must have been charged, once. */
  async checkCharges(target: Target): Promise<void> {
    if (target.chargedCalls === null) return;
    const charged = await target.chargedCalls();
    const answered = this.#answered.get(target) ?? 0;
    if (charged !== answered) this.faults.push(`${target.name}: ${answered} replies, but ${charged} charged`);
    else this.#tools.say(`${target.name}: ${answered} replies, all charged once`);
  }

  /** The times in which it was measured. */
  windowsOf(target: Target): readonly ProfileWindow[] {
    return this.#windows.get(target) ?? [];
  }

  async #sample(scenario: Scenario, target: Target): Promise<Sample> {
    const { plan, upstreamPid, database } = this.#tools;
    const pids = target.pids();
    const figures = () => [cpuUs(pids), cpuUs([upstreamPid]), database?.cpuUs() ?? 0] as const;
    const looks = isLong(scenario);
    if (looks) await eventLoopDelay(target);
    const fromUs = monotonicUs();
    const before = figures();
    const result = await this.#run(target, {
      ...asked(scenario.kind, target),
      ...(scenario.bodyBytes !== undefined && { bodyBytes: scenario.bodyBytes }),
      streams: scenario.streams,
      connections: scenario.connections,
      ratePerSecond: scenario.ratePerSecond,
      callsMax: plan.windowCallsMax,
      timeMs: embeds(scenario) ? plan.largeWindowMs : plan.windowMs,
    });
    const after = figures();
    const window = { scenario: scenario.name, fromUs, toUs: monotonicUs(), calls: result.calls };
    this.#windows.set(target, [...(this.#windows.get(target) ?? []), window]);
    const delay = looks ? await eventLoopDelay(target) : { p99Ms: Number.NaN, maxMs: Number.NaN };
    return {
      ...result,
      cpuUs: after[0] - before[0],
      upstreamCpuUs: after[1] - before[1],
      databaseCpuUs: after[2] - before[2],
      delayP99Ms: delay.p99Ms,
      delayMaxMs: delay.maxMs,
    };
  }

  async #run(
    target: Target,
    job: Omit<LoadJob, 'port' | 'key' | 'headers' | 'graceMs'>,
  ): Promise<LoadResult> {
    const { load, broken, plan } = this.#tools;
    const answer = new Promise<LoadAnswer>((resolve) => load.once('message', resolve as () => void));
    const { port, key } = target;
    const headers = { ...(!plan.shortHeads && callerHeaders), ...target.headers };
    load.send({ ...job, port, key, headers, graceMs: GRACE_MS } satisfies LoadJob);
    const limitMs = job.timeMs + ANSWER_MS_MAX;
    const answered = await within(limitMs, 'the load does not answer', Promise.race([answer, broken]));
    if ('error' in answered) throw new Error(`${target.name}: ${answered.error}`);
    const { result } = answered;
    for (const fault of result.faults) this.faults.push(`${target.name}: ${fault}`);
    if (result.calls === 0) throw new Error(`${target.name} gave no good reply: ${result.faults[0] ?? ''}`);
    this.#answered.set(target, (this.#answered.get(target) ?? 0) + result.calls);
    return result;
  }
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

function taking(targets: readonly Target[], scenario: Pick<Scenario, 'kind' | 'streams'>): Target[] {
  return targets.filter((target) => target.takes?.(scenario) ?? true);
}

/** Only the gateway translates: the proxy that it is measured against relays what the provider sends. */
function asked(
  kind: Scenario['kind'],
  target: Target,
): Pick<LoadJob, 'model' | 'wire' | 'encoding' | 'stamped' | 'bodyBytes'> {
  const encoding = kind === 'embeddings-base64' ? 'base64' : 'float';
  if (kind === 'embeddings-float' || kind === 'embeddings-base64')
    return { model: EMBEDDING_MODEL, wire: 'embeddings', encoding, stamped: false, bodyBytes: 0 };
  const models = { relayed: MODEL, long: MODEL, translated: TRANSLATED_MODEL, stamped: STAMPED_MODEL };
  const relays = target.chargedCalls === null;
  const wire = kind === 'translated' && relays ? 'messages' : 'chat';
  return { model: models[kind], wire, encoding, stamped: kind === 'stamped', bodyBytes: 0 };
}

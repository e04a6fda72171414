/** The real gateway as an operator runs it: its command, a tollgate.yaml, a space, a key, a grant. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askServer, type CallInput, type CallName, type CallResult } from '../src/app/ask-server.ts';
import { parseUnits } from '../src/kernel/units.ts';
import { EMBEDDING_MODEL, EMBEDDING_PRICE } from './embeddings-workload.ts';
import { IMAGE_MODEL, IMAGE_PRICE } from './images.ts';
import type { Plan } from './plan.ts';
import { childrenOf } from './process-figures.ts';
import type { Stage } from './stage.ts';
import { pidOf, type Target, waitFor } from './target.ts';
import {
  callCost,
  MODEL,
  PRICE,
  STAMPED_MODEL,
  slowModel,
  TRANSLATED_MODEL,
  UPSTREAM_MODEL,
  VISION_MODEL,
} from './workload.ts';

const START_MS_MAX = 120_000;
/** One key sends all long prompts; by default, four of 10 MB are more than a key may have in flight. */
const LONG_LIMITS =
  ', bytes_in_flight_per_key: 268435456, bytes_in_flight_per_space: 268435456, bytes_in_flight: 536870912';
/** On a busy machine 50 images take longer than a call waits for memory by default. */
const PATIENT_LIMITS = ', bytes_wait_ms: 60000';
const GRANT = '1000000';
const command = fileURLToPath(new URL('../bin/tollgate.js', import.meta.url));

export interface GatewayOptions {
  readonly name: string;
  readonly upstreamPort: number;
  /** Of the provider of all models but the usual one, where that is another. */
  readonly othersPort?: number;
  readonly databaseUrl: string | null;
  readonly plan: Plan;
  /** Where a profile is to be left; null for none. */
  readonly profileFolder: string | null;
  /** More than one has a supervisor. */
  readonly processes?: number;
  /** Calls count against units and against a limit of their key, which last. */
  readonly limited?: boolean;
}

export async function startGateway(stage: Stage, options: GatewayOptions): Promise<Target> {
  const folder = stage.makeFolder(options.name.replace('/', '-'));
  const config = join(folder, 'tollgate.yaml');
  const data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(config, configText(options));
  const env = {
    PATH: process.env.PATH ?? '',
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'warn',
    TOLLGATE_CONFIG: config,
    TOLLGATE_DATA: data,
    ...(options.databaseUrl !== null && { DATABASE_URL: options.databaseUrl }),
  };
  const profiling =
    options.profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profileFolder}`];
  const { processes = 1, limited = false } = options;
  const args = [...profiling, command, 'serve', '--processes', String(processes)];
  const pid = pidOf(stage.spawn(options.name, { file: process.execPath, args, env, cwd: folder }));
  const ask = async <Name extends CallName>(
    name: Name,
    input: CallInput<Name>,
  ): Promise<CallResult<Name> | null> => (await askServer(data, name, input))?.result ?? null;
  const { baseUrl, metricsUrl } = await Promise.race([
    stage.broken,
    waitFor(START_MS_MAX, `${options.name} does not start`, () => ask('status', {})),
  ]);
  if (processes > 1) {
    const ready = new URL('/health', metricsUrl ?? '');
    await waitFor(START_MS_MAX, `${options.name} does not start`, () => whenReady(ready, processes));
  }
  await ask('spaces.create', { name: 'bench', overage: !limited });
  await ask('grants.add', { amount: GRANT, kind: 'paid' });
  const limits = limited ? { month_limit: GRANT } : {};
  const made = await ask('keys.create', { name: 'bench', kind: 'shared', ...limits });
  if (made === null) throw new Error(`${options.name} made no key`);
  return {
    name: options.name,
    port: Number(new URL(baseUrl).port),
    key: made.key,
    pids: () => (processes === 1 ? [pid] : [pid, ...childrenOf(pid)]),
    ...(metricsUrl !== null && { metricsUrl }),
    profileFolder: options.profileFolder,
    chargedCalls: async () => chargedCalls((await ask('spaces.list', {}))?.data ?? null),
    ask,
  };
}

/** Null until all processes of a supervisor are ready. */
async function whenReady(health: URL, count: number): Promise<true | null> {
  const { processes } = (await (await fetch(health)).json()) as { processes: Array<{ state: string }> };
  return processes.filter(({ state }) => state === 'ready').length === count ? true : null;
}

interface SpaceShown {
  readonly held: string;
}

/** From the units that are gone: a call that was charged twice, or not at all, shows here. */
function chargedCalls(spaces: SpaceShown[] | null): number {
  const gone = parseUnits(GRANT) - parseUnits(spaces?.[0]?.held ?? '0');
  return Number(gone) / Number(callCost);
}

function configText({ upstreamPort, othersPort = upstreamPort, plan }: GatewayOptions): string {
  const slow = slowModel(plan.slowStreams.frameMs);
  return `
providers:
  upstream:
    dialect: openai
    base_url: http://127.0.0.1:${upstreamPort}/v1
    api_key: bench
  others:
    dialect: openai
    base_url: http://127.0.0.1:${othersPort}/v1
    api_key: bench
  translated:
    dialect: anthropic
    base_url: http://127.0.0.1:${othersPort}
    api_key: bench
models:
  ${MODEL}:
    capabilities: [tools, json_mode, streaming]
    batch: true
    routes: [{ provider: upstream, model: ${UPSTREAM_MODEL} }]
  ${TRANSLATED_MODEL}:
    capabilities: [tools, streaming]
    routes: [{ provider: translated, model: ${UPSTREAM_MODEL} }]
  ${VISION_MODEL}:
    capabilities: [vision, streaming]
    routes: [{ provider: others, model: ${UPSTREAM_MODEL} }]
  ${STAMPED_MODEL}:
    capabilities: [streaming]
    routes: [{ provider: upstream, model: ${STAMPED_MODEL} }]
  ${slow}:
    capabilities: [streaming]
    routes: [{ provider: others, model: ${slow} }]
  ${EMBEDDING_MODEL}:
    endpoints: [embeddings]
    embeddings: { input_tokens_max: 8191, inputs_max: 2048 }
    routes: [{ provider: others, model: ${UPSTREAM_MODEL} }]
  ${IMAGE_MODEL}:
    endpoints: [images]
    routes: [{ provider: others, model: ${UPSTREAM_MODEL} }]
limits: { streams_per_key: 4000, streams_per_space: 4000${plan.long ? LONG_LIMITS : ''}${plan.memory ? PATIENT_LIMITS : ''} }
prices:
  version: bench-1
  models:
    ${MODEL}: { input: ${PRICE.input}, output: ${PRICE.output}, batch_input: ${PRICE.input}, batch_output: ${PRICE.output} }
    ${TRANSLATED_MODEL}: { input: ${PRICE.input}, output: ${PRICE.output} }
    ${VISION_MODEL}: { input: ${PRICE.input}, output: ${PRICE.output} }
    ${STAMPED_MODEL}: { input: ${PRICE.input}, output: ${PRICE.output} }
    ${slow}: { input: ${PRICE.input}, output: ${PRICE.output} }
    ${EMBEDDING_MODEL}: { input: ${EMBEDDING_PRICE} }
    ${IMAGE_MODEL}: { per_image: ${IMAGE_PRICE} }
`;
}

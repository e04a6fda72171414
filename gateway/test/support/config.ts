/**
 * Builds the tollgate.yaml of a test. A configuration is YAML text; `changeConfig` changes it as data, and
 * `pointAt` fills in the addresses of the servers that the test started.
 */
import { parse, stringify } from 'yaml';

/** In the shape of the file. Objects are merged key by key; anything else replaces what was there. */
export interface ConfigChanges {
  readonly [key: string]: unknown;
}

/** Parts may be written as objects or as YAML, indented as it stands in the file. */
export interface ConfigParts {
  readonly server?: ConfigChanges;
  readonly providers?: ConfigChanges | string;
  readonly models?: ConfigChanges | string;
  /** Prices of models. */
  readonly prices?: ConfigChanges;
  readonly limits?: ConfigChanges | string;
}

/** What `SIMULATOR` (with /v1), `SIMULATOR_ORIGIN` and `FAKE` stand for at the beginning of an address. */
export interface ConfigAddresses {
  readonly simulator?: { readonly url: string; readonly origin?: string };
  readonly fake?: string;
}

const everything = '[vision, tools, json_mode, json_schema, streaming]';
const base = `
providers:
  simulator: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
models:
  sim-chat: { capabilities: ${everything}, routes: [{ provider: simulator, model: sim-chat }] }
  sim-chat-classic: { capabilities: ${everything}, routes: [{ provider: simulator, model: sim-chat-classic }] }
  sim-text-only: { capabilities: [streaming], routes: [{ provider: simulator, model: sim-text-only }] }
  sim-small-context: { capabilities: ${everything}, routes: [{ provider: simulator, model: sim-small-context }] }
  sim-image-chat: { capabilities: [streaming, image_output], routes: [{ provider: simulator, model: sim-image-chat }] }
  unpriced: { capabilities: ${everything}, routes: [{ provider: simulator, model: sim-chat }] }
prices:
  version: test-1
  models:
    sim-chat: { input: 2.5, cached_input: 0.25, output: 10 }
    sim-chat-classic: { input: 1, output: 2 }
    sim-text-only: { input: 1, output: 2 }
    sim-small-context: { input: 1, output: 2 }
    sim-image-chat: { input: 1, output: 2 }
`;

export function testConfig(parts: ConfigParts = {}): string {
  const { server, providers, models, prices, limits } = parts;
  return changeConfig(base, {
    ...(server !== undefined && { server }),
    ...(providers !== undefined && { providers: readPart(providers) }),
    ...(models !== undefined && { models: readPart(models) }),
    ...(prices !== undefined && { prices: { models: prices } }),
    ...(limits !== undefined && { limits: readLimits(limits) }),
  });
}

/** `sim-chat` may run in batches, at half its price. */
export function withBatches(config: string): string {
  return changeConfig(config, {
    models: { 'sim-chat': { batch: true } },
    prices: { models: { 'sim-chat': { batch_input: 1.25, batch_output: 5 } } },
  });
}

export function changeConfig(config: string, changes: ConfigChanges): string {
  return stringify(merge(parse(config), changes), { lineWidth: 0 });
}

export function pointAt(config: string, { simulator, fake }: ConfigAddresses): string {
  const addresses: Array<[string, string]> = [];
  if (simulator?.origin !== undefined) addresses.push(['SIMULATOR_ORIGIN', simulator.origin]);
  if (simulator !== undefined) addresses.push(['SIMULATOR', simulator.url]);
  if (fake !== undefined) addresses.push(['FAKE', fake]);
  return stringify(
    parse(config, (_, value: unknown) => (typeof value === 'string' ? resolve(value, addresses) : value)),
    { lineWidth: 0 },
  );
}

/** Catalogue entries for the simulator's faults: `sim-fault-<name>`. */
export function faultModels(names: readonly string[]): ConfigChanges {
  return Object.fromEntries(names.map((name) => [`sim-fault-${name}`, simulated(`sim-fault-${name}`)]));
}

/** A model that streams from the simulator. */
export function simulated(model: string, provider = 'simulator'): ConfigChanges {
  return { capabilities: ['streaming'], routes: [{ provider, model }] };
}

function resolve(value: string, addresses: ReadonlyArray<[string, string]>): string {
  for (const [name, address] of addresses) {
    if (value === name || value.startsWith(`${name}/`)) return address + value.slice(name.length);
  }
  return value;
}

function readPart(part: ConfigChanges | string): ConfigChanges {
  return typeof part === 'string' ? ((parse(part) ?? {}) as ConfigChanges) : part;
}

/** Text has the heading `limits:`, an object has not. */
function readLimits(limits: ConfigChanges | string): ConfigChanges {
  return typeof limits === 'string' ? ((parse(limits) as { limits: ConfigChanges }).limits ?? {}) : limits;
}

function merge(into: unknown, changes: unknown): unknown {
  if (!isPlain(changes)) return changes;
  const merged: Record<string, unknown> = isPlain(into) ? { ...into } : {};
  for (const [key, value] of Object.entries(changes)) merged[key] = merge(merged[key], value);
  return merged;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

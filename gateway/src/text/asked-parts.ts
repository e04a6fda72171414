/** Finds what a request asks for that has a price of its own, as far as formats have it in common. Pure. */
import { type Json, listOf, objectOf, textOf } from '../json/read-json.ts';
import type { AskedName, AskedPart } from '../pricing/asked-parts.ts';
import { cacheLifetimes } from '../pricing/usage.ts';
import { servedGeo, servedTier } from '../pricing/usage-details.ts';

const NOTHING_ASKED: readonly AskedPart[] = [];

export function relayed(part: AskedName, param: string): AskedPart {
  return { part, param, relayedOnly: true };
}

/** What callers say if they want no particular tier. */
const anyTier = new Set(['standard_only']);

/** A tier that the provider has to choose (`auto`) is not asked for. */
export function askedTierPart(value: unknown, param: string): readonly AskedPart[] {
  const tier = servedTier(value);
  return tier === undefined || anyTier.has(tier) ? NOTHING_ASKED : [relayed(`tier:${tier}`, param)];
}

export function askedGeo(value: unknown, param: string): readonly AskedPart[] {
  const geo = servedGeo(value);
  return geo === undefined ? NOTHING_ASKED : [relayed(`geo:${geo}`, param)];
}

/** Tools that the provider runs. `kindOf`: null for tools that the caller runs, and for those without a fee. */
export function askedTools(tools: unknown, kindOf: (tool: Json) => string | null): readonly AskedPart[] {
  const given = listOf(tools);
  if (given.every((tool) => kindOf(tool) === null)) return NOTHING_ASKED;
  return given.flatMap((tool, i) => {
    const kind = kindOf(tool);
    return kind === null ? [] : [relayed(`tool.${plainKind(kind)}`, `tools[${i}].type`)];
  });
}

/** Only characters of price sheets: the name is stored and shown. */
function plainKind(kind: string): string {
  return kind.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 60);
}

/** The first marker of each lifetime. `places`: everything that can have one, with its path. */
export function askedCache(places: Iterable<readonly [value: unknown, path: string]>): AskedPart[] {
  const found = new Map<string, AskedPart>();
  for (const [value, path] of places) {
    const { type, ttl } = objectOf(objectOf(value).cache_control);
    if (type !== 'ephemeral') continue;
    const lifetime = cacheLifetimes.find((known) => known === (ttl ?? '5m'));
    if (lifetime === undefined || found.has(lifetime)) continue;
    found.set(lifetime, {
      part: `cache_write_${lifetime}`,
      param: `${path}cache_control`,
      relayedOnly: false,
    });
  }
  return [...found.values()];
}

/** OpenAI's own way to choose a lifetime. */
export function askedCacheOptions(request: Json): readonly AskedPart[] {
  const ttl = textOf(objectOf(request.prompt_cache_options).ttl);
  const lifetime = cacheLifetimes.find((known) => known === ttl);
  return lifetime === undefined
    ? NOTHING_ASKED
    : [relayed(`cache_write_${lifetime}`, 'prompt_cache_options.ttl')];
}

/** The first audio in the parts of messages. `field`: of the messages. */
export function askedAudio(messages: unknown, field: string): readonly AskedPart[] {
  if (!Array.isArray(messages)) return NOTHING_ASKED;
  for (let i = 0; i < messages.length; i++) {
    const { content } = objectOf(messages[i]);
    if (!Array.isArray(content)) continue;
    const at = content.findIndex((part) => objectOf(part).type === 'input_audio');
    if (at >= 0) return [relayed('audio_input', `${field}[${i}].content[${at}]`)];
  }
  return NOTHING_ASKED;
}

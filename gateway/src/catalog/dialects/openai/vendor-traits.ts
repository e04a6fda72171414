/** What the models of providers with OpenAI's chat protocol take: docs/model-traits.md#others. Pure. */
import type { ModelTraits } from '../../model-traits.ts';

const NONE: Partial<ModelTraits> = { thinking: 'none' };
/** It thinks, and nothing can be said about it. */
const OF_ITS_OWN: Partial<ModelTraits> = {
  thinking: 'effort',
  efforts: [],
  thinksByDefault: true,
  thinkingOff: 'no',
};

export function deepseekTraits(name: string): Partial<ModelTraits> {
  return {
    thinking: 'switch',
    efforts: ['high', 'max'],
    // The older names stand for the two modes of the newer models.
    thinksByDefault: !name.includes('chat'),
    forcedTools: 'without_thinking',
  };
}

export function groqTraits(name: string): Partial<ModelTraits> {
  const json = { jsonWithTools: 'never' } as const;
  if (name.includes('gpt-oss')) return { ...OF_ITS_OWN, ...json, efforts: ['low', 'medium', 'high'] };
  if (name.includes('qwen3')) return { ...OF_ITS_OWN, ...json, thinkingOff: 'yes' };
  return { ...NONE, ...json };
}

const MISTRAL_THINKS = /\bmistral-(?:small|medium)-(?:latest|3\.[5-9]|26\d\d|2[7-9]\d\d)/;

/** A conversation may end with the assistant only with a field that other protocols do not have. */
export function mistralTraits(name: string): Partial<ModelTraits> {
  const prefill = { prefill: false };
  if (name.includes('magistral')) return { ...OF_ITS_OWN, ...prefill };
  if (!MISTRAL_THINKS.test(name)) return { ...NONE, ...prefill };
  return { thinking: 'effort', efforts: ['high'], ...prefill };
}

const GROK = /\bgrok-(\d+)(?:\.(\d+))?/;

export function grokTraits(name: string): Partial<ModelTraits> {
  const rejects = { rejects: ['stop', 'penalties'] } as const;
  if (name.includes('non-reasoning')) return { ...NONE, rejects: ['penalties'] };
  const [, major, minor = '0'] = GROK.exec(name) ?? [];
  if (major === '3')
    return name.includes('mini') ? { ...OF_ITS_OWN, ...rejects, efforts: ['low', 'high'] } : NONE;
  if (major !== '4') return { ...OF_ITS_OWN, ...rejects };
  if (minor === '3')
    return { ...OF_ITS_OWN, ...rejects, efforts: ['low', 'medium', 'high'], thinkingOff: 'yes' };
  if (minor === '5') return { ...OF_ITS_OWN, ...rejects, efforts: ['low', 'medium', 'high'] };
  if (minor === '6') return { ...OF_ITS_OWN, ...rejects, efforts: ['low', 'medium', 'high', 'xhigh'] };
  return { ...OF_ITS_OWN, ...rejects };
}

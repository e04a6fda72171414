/**
 * What the models of each provider take, by their names there. A version that is newer than all listed ones is taken to
 * be like the newest of its kind. docs/model-traits.md has the same facts for people. Pure.
 */

import { bedrockTraits } from './families/bedrock.ts';
import { claudeTraits } from './families/claude.ts';
import { deepseekTraits, grokTraits, groqTraits, mistralTraits } from './families/compatible.ts';
import { geminiTraits, protocolOfGoogle } from './families/gemini.ts';
import { gptTraits } from './families/gpt.ts';
import type { Dialect, Vendor } from './model.ts';
import { type ModelTraits, unknownTraits } from './model-traits.ts';

/** Where a model is called. */
export interface ModelPlace {
  readonly dialect: Dialect;
  readonly vendor: Vendor | null;
  readonly upstreamModel: string;
}

export function traitsOf({ dialect, vendor, upstreamModel }: ModelPlace): ModelTraits {
  const read = vendor === null ? byDialect[dialect] : byVendor[vendor];
  const named = read?.(upstreamModel.toLowerCase()) ?? null;
  if (named !== null) return { ...unknownTraits, known: true, ...named };
  return { ...unknownTraits, ...ofProtocol[dialect] };
}

/** Null: the name says nothing. */
type ReadTraits = (name: string) => Partial<ModelTraits> | null;

const byDialect: Readonly<Partial<Record<Dialect, ReadTraits>>> = {
  openai: gptTraits,
  'openai-responses': gptTraits,
  'azure-openai': gptTraits,
  anthropic: claudeTraits,
  bedrock: bedrockTraits,
  google: geminiTraits,
};

/** Servers that offer models of many makers under one set of rules are left out: they adapt calls themselves. */
const byVendor: Readonly<Partial<Record<Vendor, ReadTraits>>> = {
  deepseek: deepseekTraits,
  groq: groqTraits,
  mistral: mistralTraits,
  xai: grokTraits,
};

/** Models of others behind a protocol: as it was before efforts. */
const ofProtocol: Readonly<Partial<Record<Dialect, Partial<ModelTraits> | null>>> = {
  anthropic: claudeTraits('claude-sonnet-4-5'),
  google: protocolOfGoogle,
};

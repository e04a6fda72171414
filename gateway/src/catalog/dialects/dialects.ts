/** Every dialect that providers can speak. Adding one is a line here and a line in `providers/adapters.ts`. */
import { anthropicDialect } from './anthropic/anthropic-dialect.ts';
import { bedrockDialect } from './bedrock/bedrock-dialect.ts';
import type { DialectFacts, OwnKeys, ServiceFacts } from './dialect-facts.ts';
import { googleDialect } from './google/google-dialect.ts';
import { httpVideoDialect } from './http-video/http-video-dialect.ts';
import {
  azureOpenaiDialect,
  openaiCompatibleDialect,
  openaiDialect,
  openaiResponsesDialect,
} from './openai/openai-dialects.ts';

const declared = {
  openai: openaiDialect,
  'openai-compatible': openaiCompatibleDialect,
  'openai-responses': openaiResponsesDialect,
  'azure-openai': azureOpenaiDialect,
  anthropic: anthropicDialect,
  google: googleDialect,
  bedrock: bedrockDialect,
  'http-video': httpVideoDialect,
} as const satisfies Record<string, DialectFacts>;

type Declared = typeof declared;
export type Dialect = keyof Declared;
type VendorsOf<Facts> = Facts extends { readonly vendors: infer Rows } ? keyof Rows : never;
/** A server that speaks a dialect with small differences. */
export type Vendor = VendorsOf<Declared[Dialect]>;

export const dialectFacts: Readonly<Record<Dialect, DialectFacts>> = declared;
export const dialects = Object.keys(declared) as Dialect[];
export const vendorNames = Object.values(dialectFacts).flatMap(
  ({ vendors = {} }) => Object.keys(vendors) as Vendor[],
);

/** The dialects of which something holds. */
export function dialectsWith(holds: (facts: DialectFacts) => unknown): Dialect[] {
  return dialects.filter((name) => Boolean(holds(dialectFacts[name])));
}

/** The dialects, their vendors, and services that are known by their address alone. */
export const serviceFacts: readonly ServiceFacts[] = Object.values(dialectFacts).flatMap((facts) => [
  facts,
  ...Object.values(facts.vendors ?? {}),
  ...Object.values(facts.services ?? {}),
]);

/** Null if no vendor is named. */
export function vendorFacts(dialect: Dialect, vendor: Vendor | null): ServiceFacts | null {
  return vendor === null ? null : (dialectFacts[dialect].vendors?.[vendor] ?? null);
}

type OwnOf<Facts> = Facts extends { readonly own: infer Own extends OwnKeys } ? Own : never;
type Own = OwnOf<Declared[Dialect]>;
type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer Each) => void
  ? Each
  : never;
type OwnFields = All<Own['fields']>;
/** What the settings of a provider have from the keys that only its dialect has. */
export type OwnSettings = All<ReturnType<Own['read']>>;

/** The keys of a provider that only one dialect has. */
export const ownFields = Object.assign(
  {},
  ...Object.values(dialectFacts).map(({ own }) => own?.fields),
) as OwnFields;

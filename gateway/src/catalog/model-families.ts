/**
 * What the models of each provider take, by their names there. A version that is newer than all listed ones is taken to
 * be like the newest of its kind. docs/model-traits.md has the same facts for people. Pure.
 */
import { type Dialect, dialectFacts, type Vendor, vendorFacts } from './dialects/dialects.ts';
import { type ModelTraits, unknownTraits } from './model-traits.ts';

/** Where a model is called. */
export interface ModelPlace {
  readonly dialect: Dialect;
  readonly vendor: Vendor | null;
  readonly upstreamModel: string;
}

export function traitsOf({ dialect, vendor, upstreamModel }: ModelPlace): ModelTraits {
  const facts = dialectFacts[dialect];
  const { traits } = vendorFacts(dialect, vendor) ?? facts;
  const named = traits?.(upstreamModel.toLowerCase()) ?? null;
  if (named !== null) return { ...unknownTraits, known: true, ...named };
  return { ...unknownTraits, ...facts.otherTraits };
}

/** What the reference of `tollgate.yaml` says about a key, kept beside its type in the schema. */

/** A type and not an interface, because the options of a schema take any key. */
export type KeyFacts = {
  readonly description: string;
  readonly default?: unknown;
  readonly examples?: readonly [unknown];
  /** The version of the program that has the key first. */
  readonly 'x-since'?: string;
  /** What the reference shows where the default is not a value. */
  readonly 'x-default'?: string;
};

/** Sections and names of entries have no default; `otherwise` says what happens without the key. */
export function about(
  description: string,
  facts: { default?: unknown; example?: unknown; otherwise?: string; since?: string } = {},
): KeyFacts {
  const { example, otherwise, since } = facts;
  return {
    description,
    ...(facts.default !== undefined && { default: facts.default }),
    ...(example !== undefined && { examples: [example] }),
    ...(otherwise !== undefined && { 'x-default': otherwise }),
    ...(since !== undefined && { 'x-since': since }),
  };
}

/** Of an object: no key is allowed that it does not declare. */
export const closed = { additionalProperties: false } as const;

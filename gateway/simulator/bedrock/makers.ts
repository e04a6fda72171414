/** What the models on Bedrock differ in by their makers: the id of a model tells who made it. */
export type MakerName = 'anthropic' | 'amazon' | 'openai' | 'moonshot' | 'other';

export interface Maker {
  readonly name: MakerName;
  /** Takes markers for its cache, and pictures within the results of tools. */
  readonly caches: boolean;
  /** Holds answers and arguments to schemas. */
  readonly structured: boolean;
}

const NAMES: ReadonlyArray<readonly [MakerName, RegExp]> = [
  ['anthropic', /(?:^|[./-])anthropic\./],
  ['amazon', /(?:^|[./-])amazon\.nova/],
  ['openai', /(?:^|[./-])openai\./],
  ['moonshot', /(?:^|[./-])moonshot(?:ai)?\./],
];

/** Bedrock checks requests for these with a copy of Anthropic's rules that is older than they are. */
const UNSTRUCTURED = /claude-(?:opus-4-[78]|(?:opus|sonnet|haiku|fable|mythos)-[5-9])/;

export function makerOf(model: string): Maker {
  const name = NAMES.find(([, pattern]) => pattern.test(model))?.[0] ?? 'other';
  return {
    name,
    caches: name === 'anthropic' || name === 'amazon',
    structured: !UNSTRUCTURED.test(model),
  };
}

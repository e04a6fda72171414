/**
 * What a model takes in a request: how thinking is set, which efforts it has, whether it takes a temperature. It
 * changes with every generation of models. The name of a model at its provider decides (model-families.ts); `takes` of a
 * route in tollgate.yaml overrides it. Nothing here is about what a model can do: that is `capabilities`.
 */

/** From the least to the most. */
export const effortNames = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof effortNames)[number];

/**
 * How to set how much a model thinks. `budget`: in tokens. `adaptive`: in the form of newer Claude models, with an
 * effort. `effort`: by an effort, in the field that the dialect has for it. `switch`: by a switch of DeepSeek beside the
 * effort; while it is on, earlier tool calls have to come with the thoughts before them. `none`: it does not think.
 * `unknown`: what the caller asks for is passed on.
 */
export const thinkingForms = ['none', 'budget', 'adaptive', 'effort', 'switch', 'unknown'] as const;
export type ThinkingForm = (typeof thinkingForms)[number];

/** `between_tools`: only the thinking before an answer can be switched off, not the notes between tool calls. */
export const thinkingOffs = ['yes', 'between_tools', 'no'] as const;
export type ThinkingOff = (typeof thinkingOffs)[number];

/** When something is taken. */
export const takenWhen = ['always', 'without_thinking', 'never'] as const;
export type TakenWhen = (typeof takenWhen)[number];

/** Whether a JSON response format is taken together with tools; `unforced`: unless a tool call is required. */
export const jsonWithTools = ['always', 'unforced', 'never'] as const;
export type JsonWithTools = (typeof jsonWithTools)[number];

/** What is taken in chat completions, by a provider that also has the responses API. */
export const chatCalls = ['always', 'tools_without_thinking', 'never'] as const;
export type ChatCalls = (typeof chatCalls)[number];

/** Fields that some models reject. */
export const rejectedFields = ['stop', 'penalties', 'seed', 'answers', 'parallel_tools'] as const;
export type RejectedField = (typeof rejectedFields)[number];

export interface ModelTraits {
  /** Whether they are those of this model, and not of the protocol alone. Only then a relayed call is changed. */
  readonly known: boolean;
  readonly thinking: ThinkingForm;
  /** Besides `none`, from the least to the most. Empty: the effort cannot be chosen. */
  readonly efforts: readonly Effort[];
  /** Whether it takes a budget, too, though that is not its form. */
  readonly takesBudget: boolean;
  /** The range of a budget; `max` null: any number below the output cap. */
  readonly budget: { readonly min: number; readonly max: number | null };
  /** Whether it thinks if a call does not mention thinking. */
  readonly thinksByDefault: boolean;
  readonly thinkingOff: ThinkingOff;
  /** Temperature, top_p and top_k, other than their defaults. */
  readonly sampling: TakenWhen;
  /** Whether temperature and top_p are taken together. */
  readonly temperatureWithTopP: boolean;
  /** A tool choice that requires a call. */
  readonly forcedTools: TakenWhen;
  readonly jsonWithTools: JsonWithTools;
  readonly chat: ChatCalls;
  /** Whether the conversation may end with a message of the assistant, which the model continues. */
  readonly prefill: boolean;
  readonly rejects: readonly RejectedField[];
  /** The chat field for the output cap; null: both. */
  readonly outputCapField: 'max_tokens' | 'max_completion_tokens' | null;
}

/** Of a model that nothing is known about: everything is passed on, and the provider decides. */
export const unknownTraits: ModelTraits = {
  known: false,
  thinking: 'unknown',
  efforts: effortNames.filter((name) => name !== 'none'),
  takesBudget: false,
  budget: { min: 0, max: null },
  thinksByDefault: false,
  thinkingOff: 'yes',
  sampling: 'always',
  temperatureWithTopP: true,
  forcedTools: 'always',
  jsonWithTools: 'always',
  chat: 'always',
  prefill: true,
  rejects: [],
  outputCapField: null,
};

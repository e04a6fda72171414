/** What a model takes at a provider, as `tollgate.yaml` has it, where it differs from what its name says. */
import { type Static, Type } from 'typebox';
import { about, closed, type KeyFacts } from '../yaml/about-key.ts';
import {
  chatCalls,
  type Effort,
  effortNames,
  jsonWithTools,
  type ModelTraits,
  rejectedFields,
  takenWhen,
  thinkingForms,
  thinkingOffs,
} from './model-traits.ts';

const byName = { otherwise: 'by the name of the model' };

const facts = (meaning: string, example: string): KeyFacts => about(meaning, { ...byName, example });

const yesOrNo = (meaning: string) =>
  Type.Optional(Type.Boolean(about(meaning, { ...byName, example: false })));

const tokens = (meaning: string, example: number) =>
  Type.Optional(Type.Integer({ minimum: 0, ...about(meaning, { ...byName, example }) }));

export const TakesEntry = Type.Object(
  {
    thinking: Type.Optional(
      Type.Enum(
        [...thinkingForms],
        facts(
          'How to set how much the model thinks: by a budget in tokens, in the adaptive form of Claude, by an effort, by the switch of DeepSeek, or not at all.',
          'adaptive',
        ),
      ),
    ),
    efforts: Type.Optional(
      Type.Array(
        Type.Enum(effortNames.filter((name) => name !== 'none')),
        about('The efforts that it has besides none.', { ...byName, example: ['low', 'medium', 'high'] }),
      ),
    ),
    budget_tokens_min: tokens('The smallest budget for thinking.', 1024),
    budget_tokens_max: tokens('The largest budget for thinking.', 32_768),
    thinks_by_default: yesOrNo('Whether it thinks if a call does not mention thinking.'),
    thinking_off: Type.Optional(
      Type.Enum([...thinkingOffs], facts('Whether thinking can be switched off.', 'no')),
    ),
    sampling: Type.Optional(
      Type.Enum(
        [...takenWhen],
        facts('When it takes temperature, top_p and top_k other than their defaults.', 'never'),
      ),
    ),
    temperature_with_top_p: yesOrNo('Whether it takes temperature and top_p together.'),
    forced_tools: Type.Optional(
      Type.Enum(
        [...takenWhen],
        facts('When it takes a tool choice that requires a call.', 'without_thinking'),
      ),
    ),
    json_with_tools: Type.Optional(
      Type.Enum(
        [...jsonWithTools],
        facts(
          'Whether it takes a JSON response format together with tools; unforced: unless a tool call is required.',
          'never',
        ),
      ),
    ),
    chat: Type.Optional(
      Type.Enum(
        [...chatCalls],
        facts(
          'What it takes in chat completions. The rest is sent to the responses API, if the provider has it.',
          'tools_without_thinking',
        ),
      ),
    ),
    prefill: yesOrNo('Whether a conversation may end with a message of the assistant.'),
    rejects: Type.Optional(
      Type.Array(
        Type.Enum([...rejectedFields]),
        about('Fields that it does not take.', { ...byName, example: ['stop', 'penalties'] }),
      ),
    ),
  },
  {
    ...closed,
    ...about('What the model takes in a request, where its name does not say it.'),
  },
);
export type TakesEntry = Static<typeof TakesEntry>;

/** The traits of a route: those that follow from the name of its model, changed by what the file says. */
export function readTakes(known: ModelTraits, entry: TakesEntry | undefined): ModelTraits {
  if (entry === undefined) return known;
  return {
    known: true,
    takesBudget: known.takesBudget,
    thinking: entry.thinking ?? known.thinking,
    efforts: inOrder(entry.efforts ?? known.efforts),
    budget: {
      min: entry.budget_tokens_min ?? known.budget.min,
      max: entry.budget_tokens_max ?? known.budget.max,
    },
    thinksByDefault: entry.thinks_by_default ?? known.thinksByDefault,
    thinkingOff: entry.thinking_off ?? known.thinkingOff,
    sampling: entry.sampling ?? known.sampling,
    temperatureWithTopP: entry.temperature_with_top_p ?? known.temperatureWithTopP,
    forcedTools: entry.forced_tools ?? known.forcedTools,
    jsonWithTools: entry.json_with_tools ?? known.jsonWithTools,
    chat: entry.chat ?? known.chat,
    prefill: entry.prefill ?? known.prefill,
    rejects: entry.rejects ?? known.rejects,
    outputCapField: known.outputCapField,
  };
}

function inOrder(efforts: readonly Effort[]): readonly Effort[] {
  return effortNames.filter((name) => efforts.includes(name));
}

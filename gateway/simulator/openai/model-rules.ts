/**
 * What each model behind OpenAI's protocol takes: the simulated ones that are named for it are as strict as it is. Other
 * makers that speak the protocol have their own words for what they turn down.
 */
export type Maker = 'openai' | 'deepseek' | 'mistral' | 'groq' | 'xai';

export interface ModelRules {
  readonly maker: Maker;
  /** Null: any word. Empty: there is no such parameter. */
  readonly efforts: readonly string[] | null;
  readonly effortDefault: string;
  /** Temperature and top_p: at any time, while it does not reason, or their defaults alone. */
  readonly sampling: 'always' | 'without reasoning' | 'never';
  readonly stop: boolean;
  readonly penalties: boolean;
  /** Functions in chat completions. */
  readonly chatTools: 'always' | 'without reasoning';
  readonly forcedTools: 'always' | 'without reasoning';
  readonly jsonWithTools: boolean;
  readonly prefill: boolean;
  /** Whether `max_tokens` is taken. */
  readonly olderCap: boolean;
}

/** Of the models that are named for none: they take what any of OpenAI's models took. */
const lenient: ModelRules = {
  maker: 'openai',
  efforts: null,
  effortDefault: 'medium',
  sampling: 'always',
  stop: true,
  penalties: true,
  chatTools: 'always',
  forcedTools: 'always',
  jsonWithTools: true,
  prefill: true,
  olderCap: false,
};

const reasoning: ModelRules = { ...lenient, stop: false, penalties: false, sampling: 'never' };
const newer: ModelRules = { ...reasoning, chatTools: 'without reasoning' };
const other: ModelRules = { ...lenient, olderCap: true };

export const modelRules: Readonly<Record<string, ModelRules>> = {
  'sim-gpt-4.1': { ...other, efforts: [], effortDefault: 'none' },
  'sim-gpt-5': { ...reasoning, efforts: ['minimal', 'low', 'medium', 'high'] },
  'sim-gpt-5.6': {
    ...newer,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
    sampling: 'without reasoning',
  },
  'sim-gpt-6-astra': { ...newer, efforts: ['low', 'medium', 'high', 'xhigh', 'max'] },
  'sim-deepseek-v4-pro': {
    ...other,
    maker: 'deepseek',
    // Efforts that it does not have stand for one that it has.
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
    effortDefault: 'high',
    forcedTools: 'without reasoning',
  },
  'sim-grok-4.6': {
    ...other,
    maker: 'xai',
    efforts: ['low', 'medium', 'high', 'xhigh'],
    effortDefault: 'high',
    stop: false,
    penalties: false,
  },
  'sim-mistral-medium-latest': {
    ...other,
    maker: 'mistral',
    efforts: ['none', 'high'],
    effortDefault: 'none',
    prefill: false,
  },
  'sim-qwen3-32b': { ...other, maker: 'groq', efforts: ['none', 'default'], jsonWithTools: false },
};

export function rulesOf(model: string): ModelRules {
  return (Object.hasOwn(modelRules, model) ? modelRules[model] : undefined) ?? lenient;
}

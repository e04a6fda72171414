/** What each Claude model takes: the simulated ones that are named for it are as strict as it is. */

export type ThinkingType = 'enabled' | 'adaptive' | 'disabled' | 'between_tools';

export interface ModelRules {
  readonly thinking: readonly ThinkingType[];
  /** Thinks where the request says nothing about it. */
  readonly thinksByDefault: boolean;
  /** Its thoughts are shown unless the request says otherwise. */
  readonly shownByDefault: boolean;
  /** Empty where there is no such parameter. */
  readonly efforts: readonly string[];
  /** `one`: temperature or top_p, not both. */
  readonly sampling: 'both' | 'one' | 'none';
  readonly forcedTools: 'always' | 'without thinking' | 'never';
  readonly prefill: boolean;
}

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];

/** Of the models that are named for none: they take what any Claude model took. */
const lenient: ModelRules = {
  thinking: ['adaptive', 'disabled', 'enabled'],
  thinksByDefault: false,
  shownByDefault: true,
  efforts: EFFORTS,
  sampling: 'one',
  forcedTools: 'without thinking',
  prefill: true,
};

const older: ModelRules = { ...lenient, thinking: ['disabled', 'enabled'], efforts: [] };

const adaptive: ModelRules = {
  ...lenient,
  thinking: ['adaptive', 'disabled'],
  shownByDefault: false,
  sampling: 'none',
  prefill: false,
};

const fifth: ModelRules = { ...adaptive, thinksByDefault: true, forcedTools: 'always' };

export const modelRules: Readonly<Record<string, ModelRules>> = {
  'sim-claude-sonnet-4-5': older,
  'sim-claude-opus-4-6': {
    ...lenient,
    efforts: EFFORTS.filter((effort) => effort !== 'xhigh'),
    prefill: false,
  },
  'sim-claude-opus-4-7': adaptive,
  'sim-claude-opus-4-8': { ...adaptive, forcedTools: 'always' },
  'sim-claude-opus-5': fifth,
  'sim-claude-opus-5-5': { ...fifth, thinking: ['adaptive'], forcedTools: 'never' },
  'sim-claude-sonnet-5-5': { ...fifth, thinking: ['adaptive', 'between_tools'], forcedTools: 'never' },
  'sim-claude-haiku-5-5': fifth,
};

export function rulesOf(model: string, traits: { readonly classic: boolean }): ModelRules {
  const known = Object.hasOwn(modelRules, model) ? modelRules[model] : undefined;
  return known ?? (traits.classic ? { ...lenient, sampling: 'both' } : lenient);
}

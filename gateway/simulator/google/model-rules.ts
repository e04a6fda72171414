/** What each Gemini model takes: the simulated ones that are named for it are as strict as it is. */

export interface ModelRules {
  /** `-1` leaves it to every model; `zero` switches thinking off. */
  readonly budget: { readonly least: number; readonly most: number; readonly zero: boolean };
  /** Empty where thinking is set by a budget alone. */
  readonly levels: readonly string[];
  /** JSON, by its media type, together with functions: not with any, or not with those that must be called. */
  readonly json: 'with functions' | 'without forced functions' | 'without functions';
  /** A part may have an empty text. */
  readonly emptyTexts: boolean;
  /** Wants its thought signatures back with the calls they came with, and names its calls. */
  readonly signsCalls: boolean;
  /** Responses of functions hold pictures and files. */
  readonly mediaInResponses: boolean;
}

const LEVELS = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'];

/** Of the models that are named for none: they take what any Gemini model took. */
const lenient: ModelRules = {
  budget: { least: 0, most: 32_768, zero: true },
  levels: LEVELS,
  json: 'with functions',
  emptyTexts: true,
  signsCalls: false,
  mediaInResponses: true,
};

const second: ModelRules = {
  ...lenient,
  mediaInResponses: false,
  levels: [],
  json: 'without functions',
  emptyTexts: false,
};
const third: ModelRules = {
  ...lenient,
  budget: { least: 1, most: 32_768, zero: false },
  json: 'without forced functions',
  emptyTexts: false,
  signsCalls: true,
};

export const modelRules: Readonly<Record<string, ModelRules>> = {
  'sim-gemini-2.5-pro': { ...second, budget: { least: 128, most: 32_768, zero: false } },
  'sim-gemini-2.5-flash': { ...second, budget: { least: 1, most: 24_576, zero: true } },
  'sim-gemini-3-flash': third,
  'sim-gemini-3.1-pro': { ...third, levels: LEVELS.slice(1) },
  'sim-signed-calls': { ...lenient, signsCalls: true },
};

export function rulesOf(model: string): ModelRules {
  return (Object.hasOwn(modelRules, model) ? modelRules[model] : undefined) ?? lenient;
}

/** Reads the `generationConfig` of a request. */
import type { ModelTraits } from '../brain/models.ts';
import type { Prompt } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { lowerTypes } from './lower-types.ts';
import type { ModelRules } from './model-rules.ts';
import { readPicture } from './read-picture.ts';
import { badPayload, invalid, unmet } from './refusals.ts';

type Generation = Pick<
  Prompt,
  'format' | 'stop' | 'outputTokensMax' | 'answers' | 'seed' | 'effort' | 'thinksAloud' | 'picture'
>;

const STOP_SEQUENCES_MAX = 5;
const CANDIDATES_MAX = 8;
const MIME_TYPES = ['text/plain', 'application/json', 'text/x.enum'];
const LEVELS: ReadonlyMap<unknown, string> = new Map([
  ['MINIMAL', 'minimal'],
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
]);

export function readGeneration(
  config: Json,
  { traits, rules }: { traits: ModelTraits; rules: ModelRules },
): Generation {
  readNumber(config, 'temperature', { least: 0, most: 2 });
  readNumber(config, 'topP', { least: 0, most: 1 });
  readNumber(config, 'topK', { least: 1 });
  readNumber(config, 'presencePenalty', { least: -2, most: 2 });
  readNumber(config, 'frequencyPenalty', { least: -2, most: 2 });
  return {
    format: readFormat(config, traits),
    stop: readStop(config.stopSequences),
    outputTokensMax: readNumber(config, 'maxOutputTokens', { least: 1 }),
    answers: readNumber(config, 'candidateCount', { least: 1, most: CANDIDATES_MAX }) ?? 1,
    seed: readNumber(config, 'seed', {}) ?? 0,
    picture: readPicture(config, traits),
    ...readThinking(record(config.thinkingConfig), traits, rules),
  };
}

function readNumber(config: Json, name: string, range: { least?: number; most?: number }): number | null {
  const value = config[name];
  if (value === undefined) return null;
  const place = `generation_config.${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
  if (typeof value !== 'number') {
    throw badPayload([
      { field: place, description: `Invalid value at '${place}', ${JSON.stringify(value)}` },
    ]);
  }
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = range;
  if (value >= least && value <= most) return value;
  throw unmet(place, `the value is ${value}, which is out of the supported range from ${least} to ${most}.`);
}

function readStop(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const place = 'generation_config.stop_sequences';
  if (!Array.isArray(value) || !value.every((sequence) => typeof sequence === 'string')) {
    throw badPayload([
      { field: place, description: `Invalid value at '${place}', ${JSON.stringify(value)}` },
    ]);
  }
  if (value.length > STOP_SEQUENCES_MAX) {
    throw unmet(place, `at most ${STOP_SEQUENCES_MAX} stop sequences are supported.`);
  }
  return value;
}

function readFormat(config: Json, traits: ModelTraits): Prompt['format'] {
  const { responseMimeType = 'text/plain', responseSchema, responseJsonSchema } = config;
  if (!MIME_TYPES.includes(responseMimeType as string)) {
    throw unmet(
      'generation_config.response_mime_type',
      'allowed mimetypes are `text/plain`, `application/json`, `application/xml`, `application/yaml` and `text/x.enum`.',
    );
  }
  const schema = responseJsonSchema ?? lowerTypes(responseSchema);
  if (responseMimeType === 'text/plain') {
    if (schema === undefined) return 'text';
    throw unmet(
      'generation_config.response_schema',
      'only allowed when `response_mime_type` is `application/json`.',
    );
  }
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    throw unmet('generation_config', 'only one of response_schema and response_json_schema may be set.');
  }
  if (!traits.writesJson) throw invalid('JSON mode is not enabled for this model');
  return schema === undefined ? 'object' : { schema };
}

function readThinking(
  config: Json | null,
  traits: ModelTraits,
  rules: ModelRules,
): Pick<Prompt, 'effort' | 'thinksAloud'> {
  if (config === null) return { effort: null, thinksAloud: false };
  const { includeThoughts, thinkingBudget, thinkingLevel } = config;
  if (!traits.reasons) throw invalid('Thinking is not enabled for this model.');
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) {
    throw invalid('You can only set only one of thinking budget and thinking level.');
  }
  if (thinkingLevel !== undefined) {
    checkLevel(String(thinkingLevel).toUpperCase(), rules);
    const effort = LEVELS.get(String(thinkingLevel).toUpperCase());
    if (effort === undefined) {
      const place = 'generation_config.thinking_config.thinking_level';
      throw badPayload([
        { field: place, description: `Invalid value at '${place}', ${JSON.stringify(thinkingLevel)}` },
      ]);
    }
    return { effort, thinksAloud: includeThoughts === true };
  }
  if (typeof thinkingBudget === 'number') checkBudget(thinkingBudget, rules);
  const effort = thinkingBudget === 0 ? 'none' : null;
  return { effort, thinksAloud: includeThoughts === true };
}

function checkLevel(level: string, { levels }: ModelRules): void {
  if (levels.length === 0) throw invalid('Thinking level is not supported for this model.');
  if (levels.includes(level) || !LEVELS.has(level)) return;
  throw invalid(
    `Thinking level ${level} is not supported for this model. Please retry with other thinking level.`,
  );
}

const LEFT_TO_MODEL = -1;

function checkBudget(budget: number, { budget: { least, most, zero } }: ModelRules): void {
  if (budget === LEFT_TO_MODEL || (budget === 0 && zero)) return;
  if (budget === 0) throw invalid('Budget 0 is invalid. This model only works in thinking mode.');
  if (budget >= least && budget <= most) return;
  throw invalid(
    `The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${most}.`,
  );
}

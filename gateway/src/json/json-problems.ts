/** What is said of JSON that cannot be read, in the same words wherever it is found out. */
import { Problem } from '../kernel/problem.ts';
import { printSentence, type Sentence, type SentenceValues } from '../kernel/sentence.ts';

export const jsonSentences = {
  json_empty: 'The body is empty; a JSON object is expected.',
  json_not_object: 'The body is JSON, but not an object ({braces}).',
  json_not_utf8: 'The body is not valid UTF-8.',
  json_malformed: 'The body is not well-formed JSON.',
  json_malformed_at: 'The body is not well-formed JSON. The first error is at character {character}.',
  json_too_deep: 'The body is nested deeper than {max} levels.',
  json_many_containers: 'The body has more than {max} lists and objects.',
  json_many_keys: 'The body has more than {max} keys.',
  json_many_values: 'The body has more than {max} values.',
  json_proto_key: 'The key "__proto__" is not allowed.',
  json_key_twice: 'The key {key} appears twice in one object.',
} as const;

type JsonSentenceName = keyof typeof jsonSentences;

/** Its sentence is kept for those who say it of something other than a body, or in another language. */
export class JsonProblem extends Problem {
  readonly sentence: Sentence<JsonSentenceName>;

  constructor(sentence: Sentence<JsonSentenceName>, param?: string) {
    const detail = printSentence(jsonSentences, sentence);
    super('invalid_json', { detail, ...(param !== undefined && { param }) });
    this.sentence = sentence;
  }
}

export function emptyBody(): JsonProblem {
  return invalid('json_empty');
}

export function notObject(): JsonProblem {
  return invalid('json_not_object', { braces: '{…}' });
}

export function notUtf8(): JsonProblem {
  return invalid('json_not_utf8');
}

export function notWellFormed(character: string | null = null): JsonProblem {
  return character === null ? invalid('json_malformed') : invalid('json_malformed_at', { character });
}

export function tooDeep(depthMax: number): JsonProblem {
  return invalid('json_too_deep', { max: depthMax });
}

export function tooMany(what: 'containers' | 'keys' | 'values', max: number): JsonProblem {
  return invalid(`json_many_${what}`, { max });
}

export function protoKey(): JsonProblem {
  return invalid('json_proto_key', {}, '__proto__');
}

export function twice(key: string): JsonProblem {
  const shown = key.slice(0, 100);
  return invalid('json_key_twice', { key: JSON.stringify(shown) }, shown);
}

function invalid(name: JsonSentenceName, values: SentenceValues = {}, param?: string): JsonProblem {
  return new JsonProblem({ name, values }, param);
}

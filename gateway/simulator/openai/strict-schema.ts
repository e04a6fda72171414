/** Checks the schemas of strict functions and answers, of which OpenAI takes a part of JSON Schema only. */
import { type Json, record } from '../json.ts';
import { Refusal, type RefusalDetails } from '../refusal.ts';

/** What the schema is of, as the message says it, and the fields of the error. */
export interface SchemaPlace extends RefusalDetails {
  readonly what: string;
}

export function ofFunction(name: string, param: string): SchemaPlace {
  return { what: `function '${name}'`, param, code: 'invalid_function_parameters' };
}

const NOT_PERMITTED = new Set(
  (
    'allOf oneOf not if then else dependentRequired dependentSchemas default minLength maxLength uniqueItems contains ' +
    'minContains maxContains unevaluatedItems patternProperties propertyNames minProperties maxProperties ' +
    'unevaluatedProperties'
  ).split(' '),
);
const DEPTH_MAX = 100;

export function checkStrictSchema(given: unknown, place: SchemaPlace): void {
  const schema = record(given) ?? {};
  if (schema.type !== 'object') {
    const type = schema.type === undefined ? 'None' : String(schema.type);
    throw refused(place, `schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`);
  }
  checkSchema(schema, [], place);
}

function checkSchema(given: unknown, path: readonly string[], place: SchemaPlace): void {
  const schema = record(given);
  if (schema === null || path.length > DEPTH_MAX) return;
  const say = (text: string): Refusal => refused(place, `In context=${written(path)}, ${text}`);
  const foreign = Object.keys(schema).find((name) => NOT_PERMITTED.has(name));
  if (foreign !== undefined) throw say(`'${foreign}' is not permitted.`);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (schema.type === undefined && !['$ref', 'anyOf', 'enum', 'const'].some((name) => name in schema)) {
    throw say("schema must have a 'type' key.");
  }
  if (types.includes('array') && schema.items === undefined) throw say('array schema missing items.');
  if (types.includes('object')) checkObject(schema, say);
  for (const [step, inner] of innerSchemas(schema)) checkSchema(inner, [...path, ...step], place);
}

function checkObject(schema: Json, say: (text: string) => Refusal): void {
  if (schema.additionalProperties !== false) {
    throw say("'additionalProperties' is required to be supplied and to be false.");
  }
  const names = Object.keys(record(schema.properties) ?? {});
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const all = "'required' is required to be supplied and to be an array including every key in properties.";
  const absent = names.find((name) => !required.includes(name));
  if (absent !== undefined) throw say(`${all} Missing '${absent}'.`);
  const extra = required.find((name) => !names.includes(String(name)));
  if (extra !== undefined) throw say(`${all} Extra required key '${extra}' supplied.`);
}

function innerSchemas(schema: Json): Array<[readonly string[], unknown]> {
  const named = ['$defs', 'definitions', 'properties'].flatMap((field) =>
    Object.entries(record(schema[field]) ?? {}).map(([name, inner]) => pair([field, name], inner)),
  );
  const choices = Array.isArray(schema.anyOf) ? (schema.anyOf as unknown[]) : [];
  const listed = choices.map((inner, index) => pair(['anyOf', String(index)], inner));
  return [...named, ...listed, pair(['items'], schema.items)];
}

function pair(step: readonly string[], inner: unknown): [readonly string[], unknown] {
  return [step, inner];
}

/** As Python writes a tuple. */
function written(path: readonly string[]): string {
  const names = path.map((name) => `'${name}'`);
  return `(${names.join(', ')}${names.length === 1 ? ',' : ''})`;
}

function refused({ what, ...details }: SchemaPlace, text: string): Refusal {
  return new Refusal(400, `Invalid schema for ${what}: ${text}`, details);
}

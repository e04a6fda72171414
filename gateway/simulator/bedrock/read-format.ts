/** Reads the schema that an answer has to fit. */
import { checkSchema } from '../anthropic/read-format.ts';
import type { Prompt } from '../brain/prompt.ts';
import { record } from '../json.ts';
import type { Maker } from './makers.ts';
import { wordsOfTheModel } from './read-tools.ts';
import { checkFields, invalid, modelSays, unmet } from './refusals.ts';

const CONFIG_FIELDS = new Set(['textFormat', 'effort']);
const FORMAT_FIELDS = new Set(['type', 'structure']);
const STRUCTURE_FIELDS = new Set(['jsonSchema']);
const SCHEMA_FIELDS = new Set(['schema', 'name', 'description']);

export function readFormat(
  value: unknown,
  { maker, writesJson }: { maker: Maker; writesJson: boolean },
): Prompt['format'] {
  if (value === undefined) return 'text';
  const config = record(value);
  if (config === null) throw invalid('outputConfig is not an object.');
  checkFields(config, CONFIG_FIELDS, '/outputConfig');
  // It stands in the description of the service, and no model takes it.
  if (config.effort !== undefined) throw invalid("This model doesn't support the effort field.");
  if (config.textFormat === undefined) return 'text';
  const at = 'outputConfig.textFormat';
  const format = record(config.textFormat);
  if (format?.type !== 'json_schema') {
    throw unmet(`${at}.type`, 'Member must satisfy enum value set: [json_schema]');
  }
  checkFields(format, FORMAT_FIELDS, `/${at}`);
  const structure = record(format.structure);
  if (structure === null) throw unmet(`${at}.structure`, 'Member must not be null');
  checkFields(structure, STRUCTURE_FIELDS, `/${at}/structure`);
  const definition = record(structure.jsonSchema);
  if (definition === null) throw unmet(`${at}.structure.jsonSchema`, 'Member must not be null');
  checkFields(definition, SCHEMA_FIELDS, `/${at}/structure/jsonSchema`);
  const schema = readSchema(definition.schema, `${at}.structure.jsonSchema.schema`);
  if (!maker.structured || !writesJson) {
    throw modelSays('output_config.format: Extra inputs are not permitted');
  }
  wordsOfTheModel(() => checkSchema(schema, 'output_config.format.schema'));
  return { schema };
}

/** A schema comes as a text. */
function readSchema(text: unknown, at: string): object {
  if (typeof text !== 'string') throw unmet(at, 'Member must be a string');
  try {
    const schema = record(JSON.parse(text));
    if (schema !== null) return schema;
  } catch {
    // Told below.
  }
  throw invalid(`The value at ${at} is not a valid JSON schema.`);
}

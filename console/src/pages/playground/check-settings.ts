/** Which of the typed settings are wrong, in words. Pure. */
import type { PlayMode } from '../../../../gateway/src/contract/paid-endpoints.ts';
import type { Say } from '../../text/say.ts';
import { modeCalls } from './mode-calls.ts';
import { isText } from './modes.ts';
import { readJson } from './read-json.ts';
import type { PlaygroundText } from './texts.ts';
import type { FieldName, Fields } from './use-playground.ts';

export interface CheckedSettings {
  readonly errors: Readonly<Partial<Record<FieldName, string>>>;
  readonly tools: unknown;
  readonly schema: unknown;
}

export function checkSettings(mode: PlayMode, fields: Fields, t: Say<PlaygroundText>): CheckedSettings {
  if (!isText(mode)) {
    const asksFor = modeCalls[mode].settings.some(({ name }) => name === 'dimensions');
    const wrong = asksFor && !isWhole(fields.dimensions);
    return { errors: wrong ? { dimensions: t('maxTokensError') } : {}, tools: undefined, schema: undefined };
  }
  const tools = readJson(fields.tools);
  const schema = readJson(fields.schema);
  const errors: Partial<Record<FieldName, string>> = {};
  if (!isTemperature(fields.temperature)) errors.temperature = t('temperatureError');
  if (!isWhole(fields.max)) errors.max = t('maxTokensError');
  if (tools.error !== null) errors.tools = t('jsonError', tools.error);
  else if (tools.value !== undefined && !Array.isArray(tools.value)) errors.tools = t('toolsError');
  if (schema.error !== null) errors.schema = t('jsonError', schema.error);
  else if (schema.value !== undefined && !isObject(schema.value)) errors.schema = t('schemaError');
  return { errors, tools: tools.value, schema: schema.value };
}

function isTemperature(text: string): boolean {
  return text.trim() === '' || (Number(text) >= 0 && Number(text) <= 2);
}

function isWhole(text: string): boolean {
  return text.trim() === '' || (Number.isSafeInteger(Number(text)) && Number(text) >= 1);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

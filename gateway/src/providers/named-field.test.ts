import { expect, test } from 'vitest';
import { anthropicFields } from './anthropic/field-names.ts';
import { googleFields } from './google/field-names.ts';
import { type FieldNames, namedField } from './named-field.ts';
import { openaiFields } from './openai/field-names.ts';

test.each<[FieldNames, string, string | null]>([
  [anthropicFields, 'messages[3].content[0].text', 'messages'],
  [anthropicFields, 'output_config.effort', 'reasoning'],
  [anthropicFields, 'thinking.type', 'reasoning'],
  [anthropicFields, 'output_config.format.schema', 'responseFormat'],
  [anthropicFields, 'metadata', null],
  [openaiFields, 'messages.[1].content', 'messages'],
  [openaiFields, 'reasoning.effort', 'reasoning'],
  [openaiFields, 'x_made_up', null],
  [googleFields, 'generation_config.thinking_config.thinking_level', 'reasoning'],
  [googleFields, 'contents[0].parts[1]', 'messages'],
])('%# %o: %s is the field %s', (names, param, field) => {
  expect(namedField(names, param)).toBe(field);
});

import { anthropicFields } from '../anthropic/field-names.ts';
import type { FieldNames } from '../named-field.ts';

/** Converse's own, and those of Claude, which it passes errors on from. */
export const bedrockFields: FieldNames = {
  ...anthropicFields,
  'inferenceConfig.maxTokens': 'outputTokensMax',
  'inferenceConfig.temperature': 'temperature',
  'inferenceConfig.topP': 'topP',
  'inferenceConfig.stopSequences': 'stop',
  'toolConfig.tools': 'tools',
  'toolConfig.toolChoice': 'toolChoice',
  'outputConfig.textFormat': 'responseFormat',
  serviceTier: 'serviceTier',
};

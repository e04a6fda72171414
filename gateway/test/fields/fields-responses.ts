/** Every field of the responses format. */
import type { FieldCases } from './field-case.ts';
import { responsesContent } from './fields-responses-content.ts';
import { responsesSettings } from './fields-responses-settings.ts';
import { responsesTools } from './fields-responses-tools.ts';

export const responsesFields: FieldCases = {
  ...responsesSettings,
  ...responsesTools,
  ...responsesContent,
};

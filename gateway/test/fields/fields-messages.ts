/** Every field of the messages format. */
import type { FieldCases } from './field-case.ts';
import { messagesContent } from './fields-messages-content.ts';
import { messagesSettings } from './fields-messages-settings.ts';
import { messagesTools } from './fields-messages-tools.ts';

export const messagesFields: FieldCases = {
  ...messagesSettings,
  ...messagesTools,
  ...messagesContent,
};

/** Every field of the chat format. */
import type { FieldCases } from './field-case.ts';
import { chatContent } from './fields-chat-content.ts';
import { chatSettings } from './fields-chat-settings.ts';
import { chatTools } from './fields-chat-tools.ts';

export const chatFields: FieldCases = {
  ...chatSettings,
  ...chatTools,
  ...chatContent,
};

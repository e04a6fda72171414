/** The messages format: its functions in one object. */
import type { MessagesRequest } from '../../../contract/messages.ts';
import type { TextFormat } from '../../text-format.ts';
import { messagesAskedParts } from './asked-parts.ts';
import { messagesFieldNames } from './field-names.ts';
import { readMessagesAddresses, readMessagesMediaTypes } from './read-addresses.ts';
import { readMessagesCall } from './read-call.ts';
import { readMessagesFeatures, readMessagesPromptTexts } from './read-features.ts';
import { rejectMessagesField } from './reject-field.ts';
import { relayMessagesRequest } from './relay-request.ts';
import { relayMessagesAnswer } from './relay-response.ts';
import { MessagesStreamRelay } from './relay-stream.ts';
import { writeMessagesAnswer } from './write-answer.ts';
import { MessagesStreamWriter } from './write-stream.ts';

export const messagesFormat: TextFormat<MessagesRequest> = {
  name: 'messages',
  fieldNames: messagesFieldNames,
  refuse: rejectMessagesField,
  features: readMessagesFeatures,
  addresses: readMessagesAddresses,
  mediaTypes: readMessagesMediaTypes,
  promptTexts: readMessagesPromptTexts,
  askedParts: messagesAskedParts,
  readCall: readMessagesCall,
  relayRequest: relayMessagesRequest,
  relayAnswer: relayMessagesAnswer,
  relayStream: (context) => new MessagesStreamRelay(context),
  writeAnswer: writeMessagesAnswer,
  writeStream: (context) => new MessagesStreamWriter(context),
};

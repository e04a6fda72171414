/** The chat completions format: its functions in one object. */
import type { ChatRequest } from '../../../contract/chat.ts';
import type { TextFormat } from '../../text-format.ts';
import { chatAskedParts } from './asked-parts.ts';
import { chatFieldNames } from './field-names.ts';
import { readChatAddresses, readChatMediaTypes } from './read-addresses.ts';
import { readChatCall } from './read-call.ts';
import { readChatFeatures, readChatPromptTexts } from './read-features.ts';
import { relayChatRequest } from './relay-request.ts';
import { relayChatAnswer } from './relay-response.ts';
import { ChatStreamRelay } from './relay-stream.ts';
import { writeChatAnswer } from './write-answer.ts';
import { ChatStreamWriter } from './write-stream.ts';

export const chatFormat: TextFormat<ChatRequest> = {
  name: 'chat',
  fieldNames: chatFieldNames,
  features: readChatFeatures,
  addresses: readChatAddresses,
  mediaTypes: readChatMediaTypes,
  promptTexts: readChatPromptTexts,
  askedParts: chatAskedParts,
  readCall: readChatCall,
  relayRequest: relayChatRequest,
  relayAnswer: relayChatAnswer,
  relayStream: (context) =>
    new ChatStreamRelay({
      model: context.model,
      includeUsage: context.request.stream_options?.include_usage === true,
      answers: context.answers,
      request: context.request,
    }),
  writeAnswer: writeChatAnswer,
  writeStream: (context) => new ChatStreamWriter(context),
};

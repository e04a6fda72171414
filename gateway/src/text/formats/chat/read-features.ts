/** Reads what a chat request asks for. */
import type { ChatRequest } from '../../../contract/chat.ts';
import type { TextFeatures } from '../../text-features.ts';

export function readChatFeatures(request: ChatRequest): TextFeatures {
  return {
    streams: request.stream === true,
    hasImages: request.messages.some(hasImage),
    hasTools: (request.tools?.length ?? 0) > 0,
    responseFormat: request.response_format?.type ?? 'text',
    answers: request.n ?? 1,
    messages: request.messages.length,
    outputTokensMax: request.max_completion_tokens ?? request.max_tokens ?? null,
    params,
  };
}

const params = {
  messages: 'messages',
  responseFormat: 'response_format',
  outputTokensMax: 'max_completion_tokens',
};

function hasImage(message: ChatRequest['messages'][number]): boolean {
  return Array.isArray(message.content) && message.content.some((part) => part.type === 'image_url');
}

/** The words of the prompt, for counting tokens where the provider did not. */
export function readPromptTexts(request: ChatRequest): string[] {
  return request.messages.flatMap(({ content }) => {
    if (typeof content === 'string') return [content];
    return Array.isArray(content) ? content.flatMap((part) => part.text ?? []) : [];
  });
}

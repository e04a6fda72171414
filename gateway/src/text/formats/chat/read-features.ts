/** Reads which features a chat request uses. */
import type { ChatRequest } from '../../../contract/chat.ts';
import { listOf, objectOf, textOf } from '../../../json/read-json.ts';
import { readEffort, type TextFeatures } from '../../text-features.ts';
import { hasToolMedia } from './tool-media.ts';

export function readChatFeatures(request: ChatRequest): TextFeatures {
  const hasTools = (request.tools?.length ?? 0) > 0;
  return {
    streams: request.stream === true,
    images: request.messages.reduce((sum, { content }) => sum + imagesIn(content), 0),
    hasTools,
    mayCallTools: hasTools && request.tool_choice !== 'none',
    toolMedia: hasToolMedia(request),
    responseFormat: request.response_format?.type ?? 'text',
    answers: request.n ?? 1,
    messages: request.messages.length,
    outputTokensMax: request.max_completion_tokens ?? request.max_tokens ?? null,
    reasoning: readEffort(request.reasoning_effort),
    params,
  };
}

const params = {
  messages: 'messages',
  responseFormat: 'response_format',
  outputTokensMax: 'max_completion_tokens',
};

function imagesIn(content: ChatRequest['messages'][number]['content']): number {
  return Array.isArray(content) ? content.filter((part) => part.type === 'image_url').length : 0;
}

/** The texts of the prompt, including tools and earlier calls, for counting tokens. */
export function readChatPromptTexts(request: ChatRequest): string[] {
  const spoken = request.messages.flatMap(({ content, tool_calls: calls }) => [
    ...(typeof content === 'string' ? [content] : (content ?? []).flatMap((part) => part.text ?? [])),
    ...listOf(calls).flatMap(({ function: called, custom }) => {
      const { name, arguments: args, input } = { ...objectOf(called), ...objectOf(custom) };
      return [textOf(name), textOf(args) || textOf(input)];
    }),
  ]);
  const tools = (request.tools ?? []).map((tool) =>
    JSON.stringify(tool.type === 'custom' ? tool.custom : tool.function),
  );
  return [...spoken, ...tools];
}

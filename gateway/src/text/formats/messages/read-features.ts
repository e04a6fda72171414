/** Reads which features a messages request uses. */
import type { ContentBlock } from '../../../contract/message-blocks.ts';
import type { CountTokensRequest, MessagesRequest } from '../../../contract/messages.ts';
import { type Json, listOf, objectOf, textOf } from '../../../json/read-json.ts';
import { readEffort, type TextFeatures } from '../../text-features.ts';

export function readMessagesFeatures(request: MessagesRequest): TextFeatures {
  const format = request.output_config?.format ?? request.output_format ?? null;
  const hasTools = (request.tools?.length ?? 0) > 0;
  return {
    streams: request.stream === true,
    images: countImages(request),
    hasTools,
    mayCallTools: hasTools && request.tool_choice?.type !== 'none',
    toolMedia: request.messages.some(({ content }) => listOf(content).some(holdsMedia)),
    responseFormat: format === null ? 'text' : 'json_schema',
    answers: 1,
    messages: request.messages.length,
    outputTokensMax: request.max_tokens,
    reasoning: readReasoning(request),
    params,
  };
}

function readReasoning({ thinking, output_config }: MessagesRequest): TextFeatures['reasoning'] {
  if (!thinking) return readEffort(output_config?.effort);
  return thinking.type === 'enabled' || thinking.type === 'adaptive' ? 'on' : 'off';
}

const params = {
  messages: 'messages',
  responseFormat: 'output_config.format',
  outputTokensMax: 'max_tokens',
};

function holdsMedia({ type, content }: Json): boolean {
  return type === 'tool_result' && listOf(content).some(({ type: held }) => MEDIA.has(held));
}

const MEDIA: ReadonlySet<unknown> = new Set(['image', 'document']);

export function countImages(request: CountTokensRequest): number {
  return request.messages.reduce((sum, { content }) => sum + imagesIn(content), 0);
}

function imagesIn(content: unknown): number {
  // A tool result or a document may contain images.
  return listOf(content).reduce((sum, block) => {
    if (block.type === 'image') return sum + 1;
    return sum + imagesIn(block.content) + imagesIn(objectOf(block.source).content);
  }, 0);
}

/** The texts of the prompt, including tools and earlier calls, for counting tokens. */
export function readMessagesPromptTexts(request: CountTokensRequest): string[] {
  const { system, messages, tools } = request;
  return [
    ...(system === null || system === undefined ? [] : textsIn(system)),
    ...messages.flatMap(({ content }) => textsIn(content)),
    ...(tools ?? []).map((tool) => JSON.stringify(tool)),
  ];
}

function textsIn(content: string | readonly ContentBlock[] | unknown): string[] {
  if (typeof content === 'string') return [content];
  return listOf(content).flatMap((block) => {
    if (block.type === 'tool_use') return [textOf(block.name), JSON.stringify(block.input ?? {})];
    if (block.type === 'tool_result') return textsIn(block.content);
    const source = objectOf(block.source);
    if (block.type === 'document')
      return source.type === 'text' ? [textOf(source.data)] : textsIn(source.content);
    return [textOf(block.text) || textOf(block.thinking)];
  });
}

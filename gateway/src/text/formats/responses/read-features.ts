/** Reads which features a responses request uses. */
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { isObject, type Json, listOf } from '../../../json/read-json.ts';
import { readEffort, type TextFeatures } from '../../text-features.ts';

export function readResponsesFeatures(request: ResponsesRequest): TextFeatures {
  const items = itemsOf(request);
  const format = request.text?.format;
  // Tools that the provider runs itself do not count.
  const hasTools = (request.tools ?? []).some(({ type }) => ownTools.has(type));
  return {
    streams: request.stream === true,
    images: items.flatMap(partsOf).filter((part) => part.type === 'input_image').length,
    hasTools,
    mayCallTools: hasTools && request.tool_choice !== 'none',
    toolMedia: items.some(({ output }) => listOf(output).some(({ type }) => MEDIA.has(type))),
    responseFormat: format?.type ?? request.response_format?.type ?? 'text',
    answers: 1,
    messages: typeof request.input === 'string' ? 1 : items.length,
    outputTokensMax: request.max_output_tokens ?? null,
    reasoning: readEffort(request.reasoning?.effort),
    params: {
      messages: 'input',
      responseFormat: format ? 'text.format' : 'response_format',
      outputTokensMax: 'max_output_tokens',
    },
  };
}

const MEDIA: ReadonlySet<unknown> = new Set(['input_image', 'input_file']);
const ownTools: ReadonlySet<string> = new Set(['function', 'custom', 'namespace']);

/** The texts of the prompt, including tools and earlier calls, for counting tokens. */
export function readResponsesPrompt(request: ResponsesRequest): string[] {
  const { input, instructions, tools } = request;
  return [
    ...(typeof instructions === 'string' ? [instructions] : []),
    ...(typeof input === 'string' ? [input] : itemsOf(request).flatMap(itemTexts)),
    ...(tools ?? []).map((tool) => JSON.stringify(tool)),
  ];
}

function itemTexts(item: Json): string[] {
  const texts = [item.content, item.output, item.name, item.arguments, item.input].filter(isText);
  for (const part of [...partsOf(item), ...listOf(item.summary)]) {
    texts.push(...[part.text, part.refusal].filter(isText));
  }
  return texts;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function itemsOf({ input }: ResponsesRequest): readonly Json[] {
  return typeof input === 'string' ? [] : (input as readonly Json[]).filter(isObject);
}

function partsOf(item: Json): readonly Json[] {
  return [...listOf(item.content), ...listOf(item.output)];
}

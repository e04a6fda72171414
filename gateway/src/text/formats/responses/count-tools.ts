/** Counts what a provider bills for the tools that it ran in a response. Pure. */
import { isObject, type Json, objectOf } from '../../../json/read-json.ts';
import type { KnownFields } from '../../../pricing/usage-details.ts';

/** By kind. A count may be wrong, which is found later. */
export function countTools(items: readonly Json[], toolUsage: Json): Record<string, unknown> | undefined {
  const counted = isObject(toolUsage.web_search) || isObject(toolUsage.image_gen);
  if (!counted && !items.some(({ type }) => isHostedTool(type))) return undefined;
  return {
    web_search: objectOf(toolUsage.web_search).num_requests ?? items.filter(isSearch).length,
    file_search: items.filter(({ type }) => type === 'file_search_call').length,
    code_interpreter: countContainers(items),
    ...imageTool(items, toolUsage),
  };
}

/** The items of tools that have a fee. */
const hostedTools = ['web_search_call', 'file_search_call', 'code_interpreter_call', 'image_generation_call'];

export function isHostedTool(type: unknown): boolean {
  return hostedTools.some((hosted) => hosted === type);
}

/** Whether the JSON of an item may be one of these: cheaper than parsing it. */
export function mayBeHostedTool(json: string): boolean {
  return hostedTools.some((hosted) => json.includes(hosted));
}

/** Opening a page and looking for something in it are free. */
function isSearch({ type, action }: Json): boolean {
  if (type !== 'web_search_call') return false;
  return !isObject(action) || action.type === 'search';
}

/** The fee is for a container, not for the calls that run in it. */
function countContainers(items: readonly Json[]): number {
  const calls = items.filter(({ type }) => type === 'code_interpreter_call');
  const named = calls.flatMap(({ container_id: id }) => (typeof id === 'string' ? [id] : []));
  return new Set(named).size + calls.length - named.length;
}

/**
 * The tokens of the image tool are another model's, so they are counted as kinds of their own. Without counts an image
 * is one call of the tool.
 */
function imageTool(items: readonly Json[], toolUsage: Json): Record<string, unknown> {
  if (!isObject(toolUsage.image_gen))
    return { image_generation: items.filter(({ type }) => type === 'image_generation_call').length };
  const { input_tokens, output_tokens, input_tokens_details, output_tokens_details } = toolUsage.image_gen;
  const images = objectOf(input_tokens_details).image_tokens ?? 0;
  const text = objectOf(output_tokens_details).text_tokens ?? 0;
  return {
    image_generation_text_input: difference(input_tokens, images),
    image_generation_image_input: images,
    image_generation_text_output: text,
    image_generation_image_output: difference(output_tokens, text),
  };
}

function difference(whole: unknown, part: unknown): unknown {
  return typeof whole === 'number' && typeof part === 'number' ? whole - part : whole;
}

/** Cached tokens have no price of their own here: they count as unknown. */
export const imageToolFields: KnownFields = {
  input_tokens: true,
  output_tokens: true,
  total_tokens: true,
  input_tokens_details: { image_tokens: true, text_tokens: true },
  output_tokens_details: { image_tokens: true, text_tokens: true },
};

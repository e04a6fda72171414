/**
 * A Converse request as Claude gets it: in Anthropic's own protocol. What Converse has no field for is merged into it, so
 * the same field must not come in both ways.
 */
import { type Json, record } from '../json.ts';
import { all, type Message } from './read-messages.ts';
import { invalid } from './refusals.ts';

/** What a model is let to say if nobody says how much. */
const OUTPUT_TOKENS = 4_096;

export function asMessages(body: Json, messages: readonly Message[], model: string): Json {
  const { maxTokens, temperature, topP, stopSequences } = record(body.inferenceConfig) ?? {};
  const own = defined({
    model: nameOf(model),
    messages: messages.map(({ role, blocks }) => ({ role, content: blocks.flatMap(blockOf) })),
    max_tokens: maxTokens ?? OUTPUT_TOKENS,
    temperature,
    top_p: topP,
    stop_sequences: stopSequences,
    tools: toolsOf(record(body.toolConfig)),
    tool_choice: choiceOf(record(record(body.toolConfig)?.toolChoice)),
  });
  return merge(own, record(body.additionalModelRequestFields) ?? {}, '');
}

/** Simulated models that are as strict as Claude models are named for them without a region. */
function nameOf(model: string): string {
  const [name] = /claude-[a-z]+-\d+(?:-\d{1,2}(?!\d))?/.exec(model) ?? [];
  return name === undefined ? 'sim-claude' : `sim-${name}`;
}

function toolsOf(config: Json | null): unknown {
  if (config === null) return undefined;
  return all(config.tools as Json[], 'toolSpec').map(({ name, description, inputSchema }) =>
    defined({ name, description, input_schema: record(inputSchema)?.json }),
  );
}

function choiceOf(choice: Json | null): object | undefined {
  if (choice === null) return undefined;
  const name = record(choice.tool)?.name;
  if (name !== undefined) return { type: 'tool', name };
  return { type: choice.any === undefined ? 'auto' : 'any' };
}

function blockOf(block: Json): object[] {
  if (block.text !== undefined) return [{ type: 'text', text: block.text }];
  if (block.image !== undefined) return [imageOf(record(block.image) ?? {})];
  if (block.document !== undefined) return [{ type: 'document', source: { type: 'base64' } }];
  if (block.json !== undefined) return [{ type: 'text', text: JSON.stringify(block.json) }];
  if (block.reasoningContent !== undefined) return [thoughtOf(record(block.reasoningContent) ?? {})];
  const use = record(block.toolUse);
  if (use !== null) return [{ type: 'tool_use', id: idOf(use), name: use.name, input: use.input }];
  const result = record(block.toolResult);
  if (result === null) return [];
  const content = (result.content as Json[]).flatMap(blockOf);
  return [{ type: 'tool_result', tool_use_id: idOf(result), content, is_error: result.status === 'error' }];
}

/** Converse lets more signs through than the model does, and changes them. */
function idOf({ toolUseId }: Json): string {
  return String(toolUseId).replaceAll(/[.:]/g, '_');
}

function imageOf({ format, source }: Json): object {
  const data = record(source)?.bytes;
  return { type: 'image', source: { type: 'base64', media_type: `image/${format}`, data } };
}

function thoughtOf({ reasoningText, redactedContent }: Json): object {
  if (redactedContent !== undefined) return { type: 'redacted_thinking', data: redactedContent };
  const { text, signature } = record(reasoningText) ?? {};
  return { type: 'thinking', thinking: text, signature };
}

/** Where each field comes from in a Converse request. */
const PLACES: Readonly<Record<string, string>> = {
  'tool_choice/type': 'toolConfig.toolChoice',
  'tool_choice/name': 'toolConfig.toolChoice',
  '/max_tokens': 'inferenceConfig.maxTokens',
  '/temperature': 'inferenceConfig.temperature',
  '/top_p': 'inferenceConfig.topP',
};

function merge(own: Json, more: Json, at: string): Json {
  const merged: Record<string, unknown> = { ...own };
  for (const [name, value] of Object.entries(more)) {
    const [below, added] = [record(merged[name]), record(value)];
    if (merged[name] === undefined) merged[name] = value;
    else if (below !== null && added !== null) merged[name] = merge(below, added, name);
    else {
      const place = PLACES[`${at}/${name}`];
      const field = at === '' ? name : `${at}/${name}`;
      throw invalid(
        place === undefined
          ? `The additional field ${field} conflicts with an existing field.`
          : `The additional field ${field} conflicts with the existing field ${place}. Remove ${field} and try again.`,
      );
    }
  }
  return merged;
}

function defined(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

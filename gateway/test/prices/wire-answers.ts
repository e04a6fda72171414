/** Puts the fields of a case into a whole answer of its provider, and into the frames of a stream. */
import { eventFrame } from '../../simulator/bedrock/event-message.ts';
import { encodePng } from '../../simulator/brain/png.ts';
import type { ExactAnswer } from '../../simulator/exact-answers.ts';
import type { TruthCase, Wire } from './truth-case.ts';

type Json = Record<string, unknown>;
type Answer = Pick<ExactAnswer, 'body' | 'frames'>;

/** One token, as the cases expect where the gateway counts. */
const TEXT = 'Yes';
const PNG = Buffer.from(encodePng({ red: 200, green: 30, blue: 30 }, 16)).toString('base64');

export function exactAnswer(truth: TruthCase): ExactAnswer {
  const { headers, status } = truth;
  const error = JSON.stringify({
    type: 'error',
    error: { type: 'invalid_request_error', code: 'invalid_value', message: 'No.' },
  });
  return {
    ...(status === undefined ? writers[truth.wire](truth) : { status, body: error }),
    ...(headers !== undefined && { headers }),
  };
}

const writers: Readonly<Record<Wire, (truth: TruthCase) => Answer>> = {
  chat: chatAnswer,
  responses: responsesAnswer,
  messages: messagesAnswer,
  google: googleAnswer,
  bedrock: bedrockAnswer,
  images: imagesAnswer,
  'google-images': googleAnswer,
  video: () => ({ body: '' }),
};

function chatAnswer({ answer = {}, stream = {} }: TruthCase): Answer {
  const { usage, ...more } = answer;
  const head = { id: 'chatcmpl-truth', created: 1_790_000_000, model: 'sim-chat', ...more };
  const choice = { index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' };
  const whole = {
    ...head,
    object: 'chat.completion',
    choices: [choice],
    ...(usage !== undefined && { usage }),
  };
  const { usages = [usage], usage_with: place } = stream;
  const early = usages.slice(0, -1);
  const last = usages.at(-1);
  const chunk = (choices: object[], counted?: unknown): string =>
    sse({
      ...head,
      object: 'chat.completion.chunk',
      choices,
      ...(counted !== undefined && { usage: counted }),
    });
  const said = (delta: object, finish: string | null = null): object[] => [
    { index: 0, delta, finish_reason: finish },
  ];
  const frames = [
    chunk(said({ role: 'assistant', content: '' })),
    chunk(said({ content: TEXT }), early[0]),
    ...early.slice(1).map((counted) => chunk(said({ content: '' }), counted)),
    chunk(said({}, 'stop'), place === 'finish' ? last : undefined),
    ...(place === 'finish' || last === undefined ? [] : [chunk([], last)]),
    'data: [DONE]\n\n',
  ];
  return { body: JSON.stringify(whole), frames };
}

function responsesAnswer({ answer = {}, incomplete = false }: TruthCase): Answer {
  const { output: items = [], ...more } = answer as { output?: Json[] } & Json;
  const content = { type: 'output_text', text: TEXT, annotations: [], logprobs: [] };
  const message = {
    id: 'msg_1',
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [content],
  };
  const output: Json[] = [...items, message];
  const status = incomplete ? 'incomplete' : 'completed';
  const head = { id: 'resp_truth', object: 'response', created_at: 1_790_000_000, model: 'sim-chat' };
  const rest = { error: null, incomplete_details: incomplete ? { reason: 'max_output_tokens' } : null };
  const whole = { ...head, status, ...rest, output, usage: null, ...more };
  const begun = {
    ...head,
    status: 'in_progress',
    ...rest,
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const part = { item_id: 'msg_1', output_index: items.length, content_index: 0 };
  const events: Array<[string, Json]> = [
    ['response.created', { response: begun }],
    ['response.in_progress', { response: begun }],
    ...output.flatMap(
      (item, place): Array<[string, Json]> => [
        ['response.output_item.added', { output_index: place, item: item === message ? opened(item) : item }],
        ...(item === message ? textEvents(part, content) : []),
        ['response.output_item.done', { output_index: place, item }],
      ],
    ),
    [`response.${status}`, { response: whole }],
  ];
  const frames = events.map(
    ([type, fields], place) => `event: ${type}\n${sse({ type, sequence_number: place, ...fields })}`,
  );
  return { body: JSON.stringify(whole), frames };
}

function opened(message: Json): Json {
  return { ...message, status: 'in_progress', content: [] };
}

function textEvents(part: Json, content: Json): Array<[string, Json]> {
  return [
    ['response.content_part.added', { ...part, part: { ...content, text: '' } }],
    ['response.output_text.delta', { ...part, delta: TEXT, logprobs: [] }],
    ['response.output_text.done', { ...part, text: TEXT, logprobs: [] }],
    ['response.content_part.done', { ...part, part: content }],
  ];
}

function messagesAnswer({ answer = {}, stream = {} }: TruthCase): Answer {
  const usage = answer.usage as Json | undefined;
  const head = { id: 'msg_truth', type: 'message', role: 'assistant', model: 'sim-claude' };
  const withUsage = (counts: unknown): Json => (counts === undefined ? {} : { usage: counts });
  const end = { stop_reason: 'end_turn', stop_sequence: null };
  const whole = { ...head, content: [{ type: 'text', text: TEXT }], ...end, ...withUsage(usage) };
  // The first numbers of a stream are those of the prompt, and one token of the answer.
  const { start = usage && { ...without(usage, laterFields), output_tokens: 1 }, deltas = [usage] } = stream;
  const open = { ...head, content: [], stop_reason: null, stop_sequence: null, ...withUsage(start) };
  const events: Json[] = [
    { type: 'message_start', message: open },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
    { type: 'content_block_stop', index: 0 },
    ...deltas.map((counts, place) => ({
      type: 'message_delta',
      delta: place === deltas.length - 1 ? end : { stop_reason: null, stop_sequence: null },
      ...withUsage(counts),
    })),
    { type: 'message_stop' },
  ];
  const frames = events.map((event) => `event: ${event.type}\n${sse(event)}`);
  return { body: JSON.stringify(whole), frames };
}

/** What is known only at the end. */
const laterFields = ['server_tool_use', 'iterations', 'output_tokens_details'];

function without(json: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));
}

function googleAnswer({ answer = {}, stream = {}, image, wire }: TruthCase): Answer {
  const { usageMetadata: usage, candidate = {}, ...more } = answer as { candidate?: Json } & Json;
  const parts: Json[] = wire === 'google-images' ? [] : [{ text: TEXT }];
  if (image || wire === 'google-images') parts.push({ inlineData: { mimeType: 'image/png', data: PNG } });
  const head = { modelVersion: 'sim-chat', responseId: 'truth', ...more };
  const answered = (said: Json[], end: Json, counted: unknown): Json => ({
    candidates: [{ index: 0, content: { role: 'model', parts: said }, ...end }],
    ...head,
    ...(counted !== undefined && counted !== null && { usageMetadata: counted }),
  });
  const end = { finishReason: 'STOP', ...candidate };
  const { usages = [promptOf(usage), usage] } = stream;
  const frames = usages.map((counted, place) => {
    const last = place === usages.length - 1;
    return sse(answered(place === 0 ? parts : [{ text: '' }], last ? end : {}, counted));
  });
  return { body: JSON.stringify(answered(parts, end, usage)), frames };
}

/** The first chunk of a stream knows the prompt only. */
function promptOf(usage: unknown): Json | undefined {
  if (usage === undefined) return undefined;
  const { promptTokenCount } = usage as Json;
  return { promptTokenCount, totalTokenCount: promptTokenCount };
}

function bedrockAnswer({ answer = {} }: TruthCase): Answer {
  const message = { role: 'assistant', content: [{ text: TEXT }] };
  const metrics = { latencyMs: 12 };
  const frames = [
    eventFrame('messageStart', { role: 'assistant' }),
    eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: TEXT } }),
    eventFrame('contentBlockStop', { contentBlockIndex: 0 }),
    eventFrame('messageStop', { stopReason: 'end_turn' }),
    eventFrame('metadata', { metrics, ...answer }),
  ];
  return {
    body: JSON.stringify({ output: { message }, stopReason: 'end_turn', metrics, ...answer }),
    frames,
  };
}

function imagesAnswer({ answer = {} }: TruthCase): Answer {
  const { images, ...more } = answer;
  const data = Array.from({ length: images as number }, () => ({ b64_json: PNG }));
  return { body: JSON.stringify({ created: 1_790_000_000, data, ...more }) };
}

function sse(json: object): string {
  return `data: ${JSON.stringify(json)}\n\n`;
}

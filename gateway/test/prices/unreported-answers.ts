/** Answers of providers without usage, whole and as streams. */
import { eventFrame } from '../../simulator/bedrock/event-message.ts';
import type { ExactAnswer } from '../../simulator/exact-answers.ts';

export type Json = Record<string, unknown>;

const sse = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;
const typed = (json: Json): string => `event: ${json.type}\n${sse(json)}`;

export function chatAnswer(more: Json, message: Json = {}): ExactAnswer {
  const head = { id: 'c', created: 1, model: 'sim-chat', ...more };
  const said = { role: 'assistant', content: 'Yes', ...message };
  const chunk = (delta: object, finish: string | null): string =>
    sse({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
  return {
    body: JSON.stringify({
      ...{ ...head, object: 'chat.completion' },
      choices: [{ index: 0, message: said, finish_reason: 'stop' }],
    }),
    frames: [chunk(said, null), chunk({}, 'stop'), 'data: [DONE]\n\n'],
  };
}

export const search = (id: string, action = 'search'): Json => ({
  ...{ type: 'web_search_call', id, status: 'completed', action: { type: action } },
});
const message = {
  ...{ type: 'message', id: 'm', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text: 'Yes', annotations: [] }],
};

/** `repeats: false`: the last event does not have the items. `until`: the stream breaks after so many events. */
export function responseAnswer(
  items: readonly Json[],
  more: Json = {},
  { repeats = true, until }: { repeats?: boolean; until?: number } = {},
): ExactAnswer {
  const output = [...items, message];
  const whole = { id: 'r', object: 'response', status: 'completed', model: 'sim-chat', output, ...more };
  const begun = { ...whole, status: 'in_progress', output: [] };
  const events: Json[] = [
    { type: 'response.created', response: begun },
    ...output.flatMap((item, i) => [
      { type: 'response.output_item.added', output_index: i, item: { ...item, status: 'in_progress' } },
      ...(item === message
        ? [
            {
              type: 'response.output_text.delta',
              item_id: 'm',
              output_index: i,
              content_index: 0,
              delta: 'Yes',
            },
          ]
        : []),
      { type: 'response.output_item.done', output_index: i, item },
    ]),
    { type: 'response.completed', response: repeats ? whole : { ...whole, output: [] } },
  ];
  const frames = events.map((event, i) => typed({ sequence_number: i, ...event })).slice(0, until);
  return { body: JSON.stringify(whole), frames };
}

export const used = (name: string, id = 's'): Json => ({ type: 'server_tool_use', id, name, input: {} });
export const failed = {
  ...{ type: 'web_search_tool_result', tool_use_id: 's' },
  content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
};

/** `start`: the usage in the first event; then no more comes, and `cut` streams end without a stop reason. */
export function messageAnswer(
  blocks: readonly Json[],
  { start, cut = false }: { start?: Json; cut?: boolean } = {},
): ExactAnswer {
  const head = { id: 'm', type: 'message', role: 'assistant', model: 'sim-claude' };
  const content = [...blocks, { type: 'text', text: 'Yes' }];
  const events: Json[] = [
    { type: 'message_start', message: { ...head, content: [], ...(start && { usage: start }) } },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    ...(cut
      ? []
      : [
          { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null } },
          { type: 'message_stop' },
        ]),
  ];
  return {
    body: JSON.stringify({ ...head, content, stop_reason: 'end_turn', stop_sequence: null }),
    frames: events.map(typed),
  };
}

export function googleAnswer(groundingMetadata: Json): ExactAnswer {
  const candidate = {
    index: 0,
    content: { parts: [{ text: 'Yes' }] },
    finishReason: 'STOP',
    groundingMetadata,
  };
  const body = { candidates: [candidate] };
  return { body: JSON.stringify(body), frames: [sse(body)] };
}

export function bedrockAnswer(more: Json): ExactAnswer {
  const said = { role: 'assistant', content: [{ text: 'Yes' }] };
  return {
    body: JSON.stringify({ output: { message: said }, stopReason: 'end_turn', ...more }),
    frames: [
      eventFrame('messageStart', { role: 'assistant' }),
      eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Yes' } }),
      eventFrame('contentBlockStop', { contentBlockIndex: 0 }),
      eventFrame('messageStop', { stopReason: 'end_turn' }),
      eventFrame('metadata', more),
    ],
  };
}

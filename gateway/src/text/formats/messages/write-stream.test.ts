import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MessagesRequest } from '../../../contract/messages.ts';
import { SseFramer } from '../../../kernel/framing.ts';
import { Problem } from '../../../kernel/problem.ts';
import { parseUnits } from '../../../kernel/units.ts';
import type { TextEvent } from '../../text-event.ts';
import { MessagesStreamWriter } from './write-stream.ts';

const request: MessagesRequest = {
  model: 'ours',
  max_tokens: 10,
  system: 'Four',
  messages: [{ role: 'user', content: 'ninechars' }],
};
const context = { request, callId: 'req_AbC', model: 'ours', createdSeconds: 1, answers: 1 };
const USED = {
  inputTokens: 10,
  cachedInputTokens: 3,
  cacheWriteTokens: 2,
  outputTokens: 7,
  reasoningTokens: 4,
};

type Wire = Record<string, unknown> & { type: string; index?: number };

function readWire(text: string): Wire[] {
  const events: Wire[] = [];
  const onFrame = (data: string, name: string): void => {
    const event = JSON.parse(data) as Wire;
    expect(name).toBe(event.type);
    events.push(event);
  };
  new SseFramer({ charactersMax: 1e6, onFrame }).push(text);
  return events;
}

function write(events: readonly TextEvent[]): Wire[] {
  const writer = new MessagesStreamWriter(context);
  const written = events.map((event) => writer.event(event)).join('');
  return readWire(written + writer.ending({ usage: USED, cost: parseUnits('0.5') }));
}

/** One word for each event: what begins, goes on and ends at which index. */
function outline(events: readonly TextEvent[]): string {
  const words: Readonly<Record<string, string>> = { start: '+', delta: '', stop: '-' };
  return write(events)
    .filter(({ type }) => type.startsWith('content_block'))
    .map(({ type, index }) => `${words[type.slice('content_block_'.length)]}${index}`)
    .join(' ');
}

const text = (said: string): TextEvent => ({ type: 'text', answer: 0, text: said });
const think = (said: string): TextEvent => ({ type: 'reasoning', answer: 0, text: said });
const prove = (dialect: string): TextEvent => ({
  type: 'reasoning_proof',
  answer: 0,
  proof: { dialect, value: 'dg==' },
});
const call = (number: number): TextEvent => ({
  type: 'tool_call',
  answer: 0,
  call: number,
  id: `c${number}`,
  name: 'f',
  proof: null,
});
const args = (number: number, said: string): TextEvent => ({
  type: 'tool_arguments',
  answer: 0,
  call: number,
  text: said,
});
const finish = (
  reason: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'stop_sequence',
): TextEvent => ({
  type: 'finish',
  answer: 0,
  finish: { reason, stopSequence: null, raw: '' },
});

describe('a translated message stream', () => {
  test('starts with an estimate of the prompt and ends with the final counts and the cost', () => {
    const events = write([text('Hello'), text(' you'), finish('stop')]);
    expect(events).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'msg_AbC',
          type: 'message',
          role: 'assistant',
          model: 'ours',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: 4,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            output_tokens: 0,
            service_tier: null,
          },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' you' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: {
          input_tokens: 5,
          cache_creation_input_tokens: 2,
          cache_read_input_tokens: 3,
          output_tokens: 7,
          output_tokens_details: { thinking_tokens: 4 },
          service_tier: 'standard',
        },
        estimated_cost: expect.objectContaining({ amount: '0.5', currency: 'unit' }),
      },
      { type: 'message_stop' },
    ]);
  });

  test('of an empty answer has a start and an end', () => {
    expect(write([finish('length')]).map(({ type }) => type)).toEqual([
      'message_start',
      'message_delta',
      'message_stop',
    ]);
  });

  test.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['tool_calls', 'tool_use'],
    ['stop_sequence', 'stop_sequence'],
    ['content_filter', 'refusal'],
  ] as const)('with the finish reason %s has the stop reason %s', (reason, shown) => {
    expect(write([text('x'), finish(reason)]).at(-2)).toMatchObject({ delta: { stop_reason: shown } });
  });

  test('with a tool call ends with tool_use, even if the provider only reports stop', () => {
    const events = write([call(0), args(0, '{}'), finish('stop')]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });

  test('with a refusal ends with refusal, even if the provider only reports stop', () => {
    const events = write([{ type: 'refusal', answer: 0, text: 'No.' }, finish('stop')]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'refusal' } });
  });

  test('has the proof of a tool call right before it, marked as belonging to it', () => {
    const proven = { ...call(0), proof: { dialect: 'google', value: 'dg==' } } as TextEvent;
    const events = [think('a'), proven, args(0, '{}'), finish('tool_calls')];
    expect(outline(events)).toBe('+0 0 -0 +1 -1 +2 2 -2');
    expect(write(events)).toContainEqual({
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'redacted_thinking', data: 'call.google.dg==' },
    });
  });

  test('has one block after the other', () => {
    const two = [call(0), args(0, '{"a":'), args(0, '"}{"}'), call(1), args(1, '{}')];
    expect(outline([think('a'), prove('anthropic'), text('b'), ...two, finish('tool_calls')])).toBe(
      '+0 0 0 -0 +1 1 -1 +2 2 2 -2 +3 3 -3',
    );
  });

  test('keeps several tool calls open while their arguments are interleaved', () => {
    const mixed = [call(0), call(1), args(1, '{"b"'), args(0, '{"a"'), args(1, ':1}'), args(0, ':2}')];
    expect(outline([...mixed, finish('tool_calls')])).toBe('+0 +1 1 0 1 -1 0 -0');
  });

  test('keeps a tool call open during other content until its arguments are complete', () => {
    expect(outline([call(0), args(0, '{"a"'), text('x'), args(0, ':1}'), text('y'), finish('stop')])).toBe(
      '+0 0 +1 1 0 -0 1 -1',
    );
  });

  test('ends every block, including truncated calls and calls without arguments', () => {
    expect(outline([call(0), args(0, '{"half'), call(1), finish('length')])).toBe('+0 0 +1 -0 -1');
  });

  test("has the provider's proof with the reasoning, prefixed if it is of another dialect", () => {
    const proofs = (events: TextEvent[]) =>
      write(events).flatMap(({ delta, content_block }) => [delta, content_block].filter(isProof));
    expect(proofs([think('a'), prove('anthropic')])).toEqual([
      { type: 'signature_delta', signature: 'dg==' },
    ]);
    expect(proofs([think('a'), prove('google')])).toEqual([
      { type: 'signature_delta', signature: 'google.dg==' },
    ]);
    expect(proofs([prove('google')])).toEqual([{ type: 'redacted_thinking', data: 'google.dg==' }]);
    expect(proofs([prove('anthropic-sealed')])).toEqual([{ type: 'redacted_thinking', data: 'dg==' }]);
    expect(proofs([prove('anthropic')])).toEqual([{ type: 'signature_delta', signature: 'dg==' }]);
  });

  test('shows a refusal as text, and no image', () => {
    const refusal = { type: 'refusal', answer: 0, text: 'No.' } as const;
    const image = { type: 'image', answer: 0, mediaType: 'image/png', base64: 'aQ==' } as const;
    const written = JSON.stringify(write([image, refusal, finish('stop')]));
    expect(written).toContain('{"type":"text_delta","text":"No."}');
    expect(written).not.toContain('aQ==');
  });

  test('fails with an event that has the reference, and with no end marker', () => {
    const writer = new MessagesStreamWriter(context);
    writer.event(text('x'));
    const [failure, ...more] = readWire(writer.failure(new Problem('upstream_timeout'), 'req_1'));
    expect(failure).toMatchObject({
      type: 'error',
      error_ref: 'req_1',
      error: { type: 'upstream_timeout', code: 'upstream_timeout', error_ref: 'req_1' },
    });
    expect(more).toEqual([]);
  });

  test('loses nothing and leaves no block open, whatever the order', () => {
    const cut = (json: string, size: number) => json.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
    const object = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(
        fc.tuple(object, object),
        fc.array(fc.nat(3)),
        fc.integer({ min: 1, max: 9 }),
        (jsons, order, size) => {
          const pieces = jsons.map((json) => cut(json, size));
          const turns = [...order, ...pieces.flatMap((list, n) => list.map(() => n))];
          const said = turns.flatMap((turn): TextEvent[] => {
            if (turn >= jsons.length) return [turn === 2 ? text('t') : think('r')];
            const piece = pieces[turn]?.shift();
            return piece === undefined ? [] : [args(turn, piece)];
          });
          const events = write([call(0), call(1), ...said, finish('tool_calls')]);
          const open = new Set<unknown>();
          const argued = ['', ''];
          let words = 0;
          for (const { type, index, delta } of events) {
            const { partial_json: json } = (delta ?? {}) as { partial_json?: string };
            if (type === 'content_block_start') open.add(index);
            if (type === 'content_block_stop') expect(open.delete(index)).toBe(true);
            if (type !== 'content_block_delta') continue;
            expect(open.has(index)).toBe(true);
            if (json === undefined) words++;
            else argued[index as number] += json;
          }
          expect([open.size, argued]).toEqual([0, jsons]);
          expect(words).toBe(order.filter((turn) => turn >= jsons.length).length);
        },
      ),
    );
  });
});

function isProof(value: unknown): boolean {
  const { type } = (value ?? {}) as { type?: string };
  return type === 'signature_delta' || type === 'redacted_thinking';
}

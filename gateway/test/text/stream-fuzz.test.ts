/**
 * Mutated streams of every dialect, read for every format: nothing breaks, and no stream seems to end
 * well unless its provider said that it ended. A short form here; `npm run test:fuzz` is the long one.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import type { Dialect } from '../../src/catalog/dialects/dialects.ts';
import { unknownTraits } from '../../src/catalog/model-traits.ts';
import { FrameTooLong, SseFramer } from '../../src/kernel/framing.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { adapters } from '../../src/providers/adapters.ts';
import type { TextProvider } from '../../src/providers/provider.ts';
import { ProviderMask } from '../../src/providers/provider-mask.ts';
import { ProviderRegistry } from '../../src/providers/registry.ts';
import { chatFormat } from '../../src/text/formats/chat/chat.ts';
import { messagesFormat } from '../../src/text/formats/messages/messages.ts';
import { responsesFormat } from '../../src/text/formats/responses/responses.ts';
import type { TextCall } from '../../src/text/text-call.ts';
import type { AnswerContext, AnswerStream, TextFormat, TextFormatName } from '../../src/text/text-format.ts';
import { TranslatedStream } from '../../src/text/translate.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 100);
const CHARACTERS_MAX = 1_000_000;

const formats = {
  chat: chatFormat,
  responses: responsesFormat,
  messages: messagesFormat,
} as unknown as Record<TextFormatName, TextFormat<unknown>>;
const requests: Record<TextFormatName, unknown> = {
  chat: { model: 'm', messages: [], stream: true, stream_options: { include_usage: true } },
  responses: { model: 'm', input: 'hello', stream: true },
  messages: { model: 'm', messages: [], max_tokens: 99, stream: true },
};
/** What tells a caller that an answer is whole. */
const endMarks: Record<TextFormatName, RegExp> = {
  chat: /\[DONE\]\n|"finish_reason":"/,
  responses: /^event: response\.(completed|incomplete)$/m,
  messages: /^event: message_stop$/m,
};
/** What of a provider's bytes says that its answer is whole. */
const finishes: Record<string, RegExp> = {
  openai: /"finish_reason"\s*:\s*"/,
  'openai-responses': /response\.(completed|incomplete)/,
  anthropic: /"stop_reason"\s*:\s*"/,
  google: /"finishReason"\s*:\s*"|"blockReason"\s*:/,
  bedrock: /stopReason/,
};
const bases: Partial<Record<Dialect, string>> = {
  openai: '/v1',
  'openai-responses': '/v1',
  anthropic: '',
  google: '/v1beta',
  bedrock: '',
};
const dialects = Object.keys(bases) as Dialect[];

let simulator: Simulator;
let registry: ProviderRegistry;
const recorded = new Map<Dialect, Buffer[]>();

beforeAll(async () => {
  simulator = await startSimulator({ apiKey: KEY });
  registry = new ProviderRegistry(
    {
      clock: systemClock,
      connectTimeoutMs: 5_000,
      silenceTimeoutMs: 5_000,
      callTotalMs: 60_000,
      transferTotalMs: 60_000,
      mask: new ProviderMask(),
    },
    adapters,
  );
  registry.replace(
    dialects.map((dialect) => ({
      ...{ name: dialect, dialect, vendor: null, region: 'us-east-1', simulated: true },
      ...{ baseUrl: `${simulator.origin}${bases[dialect]}`, apiKey: new Secret(keyOf(dialect)) },
    })),
  );
  for (const dialect of dialects) {
    recorded.set(dialect, await Promise.all(questions.map((question) => record(textOf(dialect), question))));
  }
});
afterAll(async () => {
  await registry.close();
  await simulator.stop();
});

describe.each(dialects)('streams of %s, mutated', (dialect) => {
  test.each(Object.keys(formats) as TextFormatName[])(
    'break nothing for %s, and end well only where the provider said so',
    (format) => {
      fc.assert(
        fc.property(
          fc.nat(questions.length - 1),
          mutations,
          fc.array(fc.nat(400), { maxLength: 20 }),
          (at, changes, cuts) => {
            const good = recorded.get(dialect)?.[at] as Buffer;
            const bytes = changes.reduce(mutate, good);
            check(dialect, format, { bytes, cuts });
          },
        ),
        { numRuns: RUNS },
      );
    },
  );

  test.each(Object.keys(formats) as TextFormatName[])(
    'unmutated and cut anywhere end well for %s',
    (format) => {
      fc.assert(
        fc.property(fc.nat(questions.length - 1), fc.array(fc.nat(60)), (at, cuts) => {
          const bytes = recorded.get(dialect)?.[at] as Buffer;
          expect(check(dialect, format, { bytes, cuts }).complete).toBe(true);
        }),
        { numRuns: Math.min(RUNS, 200) },
      );
    },
  );
});

test('a chat stream with null in place of a choice or of a tool call breaks nothing', () => {
  const frames = [
    '{"id":"c","object":"chat.completion.chunk","model":"m","choices":[null,{"index":0,"delta":{"content":"a","tool_calls":[null]}}]}',
    '{"id":"c","object":"chat.completion.chunk","model":"m","choices":[null,{"index":0,"delta":{},"finish_reason":"stop"}]}',
    '[DONE]',
  ];
  const bytes = Buffer.from(frames.map((frame) => `data: ${frame}\n\n`).join(''));
  expect(check('openai', 'chat', { bytes, cuts: [] }).complete).toBe(true);
});

const KEY = 'fuzz-key';
/** One of them signs its requests with a key that has a name. */
const keyOf = (dialect: Dialect): string => (dialect === 'bedrock' ? `AKIAFUZZ:${KEY}` : KEY);

const call: TextCall = {
  ...{ messages: [], stream: true, tools: [], toolChoice: null, parallelTools: null, topP: null, topK: null },
  ...{ responseFormat: { type: 'text' }, outputTokensMax: 500, temperature: null, stop: [], answers: 1 },
  ...{
    reasoning: null,
    seed: null,
    frequencyPenalty: null,
    presencePenalty: null,
    verbosity: null,
    user: null,
  },
};
const tool = {
  name: 'look_up',
  description: 'Looks up.',
  parameters: { type: 'object', properties: { q: { type: 'string' } } },
};
const questions: TextCall[] = [
  { ...call, messages: [asked('Reply with exactly: some wörds 한국어 🙂 "quoted" \\ and more of them')] },
  {
    ...call,
    messages: [asked('Please look_up and look_down.')],
    tools: [
      { ...tool, strict: null },
      { ...tool, name: 'look_down', strict: null },
    ],
  },
  { ...call, messages: [asked('Write 30 words.')], outputTokensMax: 24 },
];

function asked(text: string): TextCall['messages'][number] {
  return { role: 'user', parts: [{ type: 'text', text }] };
}

function textOf(dialect: Dialect): TextProvider {
  return registry.get(dialect).texts[0] as TextProvider;
}

/** The bytes of a good stream, as they come from the stand-in provider. */
function record(text: TextProvider, question: TextCall): Promise<Buffer> {
  const target = {
    upstreamModel: 'sim-chat',
    outputTokensMax: null,
    outputCapField: null,
    makesImages: false,
    takes: unknownTraits,
  } as const;
  const body = Buffer.from(JSON.stringify(text.writeRequest(question, target)));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    text.send(
      { upstreamModel: 'sim-chat', stream: true, body, beta: null },
      {
        head: (status) => ({
          data: (chunk) => void chunks.push(Buffer.from(chunk)),
          end: () =>
            status === 200 ? resolve(Buffer.concat(chunks)) : reject(new Error(`${Buffer.concat(chunks)}`)),
          fail: reject,
        }),
        fail: reject,
      },
    );
  });
}

type Mutation = {
  kind: 'flip' | 'cut' | 'drop' | 'repeat' | 'insert' | 'swap';
  at: number;
  size: number;
  text: string;
};

const mutations = fc.array(
  fc.record<Mutation>({
    kind: fc.constantFrom('flip', 'cut', 'drop', 'repeat', 'insert', 'swap'),
    at: fc.nat(5_000),
    size: fc.integer({ min: 1, max: 300 }),
    text: fc.oneof(
      fc.string(),
      fc.constantFrom('\n\n', 'data: ', 'event: ', '[DONE]', '{', '}', 'null', '\r', ': x\n'),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

function mutate(bytes: Buffer, { kind, at, size, text }: Mutation): Buffer {
  const from = bytes.length === 0 ? 0 : at % bytes.length;
  const to = Math.min(bytes.length, from + size);
  const [head, piece, tail] = [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)];
  switch (kind) {
    case 'flip':
      return Buffer.concat([
        head,
        Buffer.from(piece.map((byte, i) => (i === 0 ? byte ^ (1 << (size % 8)) : byte))),
        tail,
      ]);
    case 'cut':
      return Buffer.from(head);
    case 'drop':
      return Buffer.concat([head, tail]);
    case 'repeat':
      return Buffer.concat([head, piece, piece, tail]);
    case 'insert':
      return Buffer.concat([head, Buffer.from(text), piece, tail]);
    case 'swap':
      return Buffer.concat([piece, head, tail]);
  }
}

function answerStream(dialect: Dialect, format: TextFormatName): AnswerStream {
  const context: AnswerContext<unknown> = {
    ...{ request: requests[format], callId: 'req_00000000000000000000000001', model: 'ours', answers: 1 },
    createdSeconds: 1_760_000_000,
  };
  const text = textOf(dialect);
  if (text.format === format) return formats[format].relayStream(context);
  return new TranslatedStream(
    (emit) => text.readStream({ callId: context.callId, mayCallTools: true }, emit),
    formats[format].writeStream(context),
  );
}

function check(
  dialect: Dialect,
  format: TextFormatName,
  fed: { bytes: Buffer; cuts: readonly number[] },
): AnswerStream {
  const answer = answerStream(dialect, format);
  let sent = '';
  const onFrame = (data: string, event: string): void => {
    sent += answer.frame(data, event);
  };
  const framing = textOf(dialect).framing;
  const sse = new SseFramer({ charactersMax: CHARACTERS_MAX, onFrame });
  const framer = framing?.(onFrame, CHARACTERS_MAX) ?? {
    push: (chunk: Buffer) => sse.push(chunk.toString('latin1')),
  };
  try {
    for (const piece of cutAt(fed.bytes, fed.cuts)) framer.push(piece);
  } catch (error) {
    if (!(error instanceof FrameTooLong)) throw error;
  }
  expect(sent).not.toMatch(endMarks[format]);
  answer.produced();
  if (answer.complete) {
    expect(fed.bytes.toString('latin1')).toMatch(finishes[dialect] as RegExp);
    expect(answer.ending({ usage: answer.usage, cost: null })).toMatch(endMarks[format]);
  } else {
    const failure = answer.failure(new Problem('upstream_error'), 'req_x');
    expect(failure).not.toMatch(endMarks[format]);
    expect(failure).toContain('req_x');
  }
  return answer;
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const size of cuts) {
    pieces.push(bytes.subarray(from, from + size));
    from += size;
  }
  return [...pieces, bytes.subarray(from)];
}

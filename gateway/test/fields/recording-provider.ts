/** A provider of every text dialect that takes whatever it is sent, and keeps the last body for the test to look at. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordingProvider {
  readonly origin: string;
  /** The bodies since the last time it was asked for them. */
  take(): unknown[];
  stop(): Promise<void>;
}

export async function startRecordingProvider(): Promise<RecordingProvider> {
  let bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(Buffer.concat(await request.toArray()).toString('utf8')));
    const path = new URL(request.url ?? '', 'http://provider').pathname;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answers.find(([end]) => path.endsWith(end))?.[1] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = bodies;
      bodies = [];
      return taken;
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const usage = { input_tokens: 1, output_tokens: 1 };

/** The shortest answer of each protocol, by how its path ends. */
const answers: ReadonlyArray<readonly [string, object]> = [
  [
    '/chat/completions',
    {
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
      choices: [{ index: 0, message: { role: 'assistant', content: 'Yes' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  ],
  [
    '/responses',
    {
      ...{ id: 'r', object: 'response', created_at: 1, model: 'm', status: 'completed' },
      output: [
        {
          ...{ type: 'message', id: 'm', role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: 'Yes', annotations: [] }],
        },
      ],
      usage: { ...usage, total_tokens: 2 },
    },
  ],
  [
    '/messages',
    {
      ...{ id: 'msg', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' },
      ...{ content: [{ type: 'text', text: 'Yes' }], stop_sequence: null, usage },
    },
  ],
  [
    ':generateContent',
    {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Yes' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    },
  ],
  [
    '/converse',
    {
      output: { message: { role: 'assistant', content: [{ text: 'Yes' }] } },
      ...{ stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
    },
  ],
];

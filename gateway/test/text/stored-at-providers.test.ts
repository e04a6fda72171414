/**
 * What names something stored at a provider is rejected in every format on every dialect, before anything is sent: all
 * spaces share the account there.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dialectCases, matrixConfig, modelCode } from '../matrix/dialects.ts';
import { changeConfig, withBatches } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { upload } from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type StoredPath, storedPaths, storedRequest } from '../support/stored-requests.ts';

interface Refused {
  readonly type: string;
  readonly detail: string;
  readonly error: {
    readonly param: string | null;
    readonly details?: object;
    readonly rows?: ReadonlyArray<{ reason: string; field: string | null }>;
  };
}

const paths = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' };
const headers = { 'vendor-version': '2023-06-01' };
const formats = ['chat', 'responses', 'messages'] as const;
const cells = formats.flatMap((format) =>
  dialectCases.map((dialect) => [format, dialect.name, dialect] as const),
);

describe.each(oneEngine('postgres', 'rejected requests'))('what is stored at providers, on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: withBatches(changeConfig(matrixConfig(), batchModel)) });
  });
  afterAll(() => gateway.stop());

  async function refused(reply: Response): Promise<Refused> {
    const body = (await reply.json()) as Refused;
    expect([reply.status, body.type], JSON.stringify(body)).toEqual([400, 'invalid_parameter']);
    return body;
  }

  test.each(cells)('cannot be named in %s on %s', async (format, _, dialect) => {
    const before = gateway.simulator.calls.length;
    for (const stored of storedPaths.filter((path) => path.format === format)) {
      const { body, param } = storedRequest(stored, modelCode(dialect));
      const { error, detail } = await refused(await gateway.post(paths[format], body, headers));
      expect(error.param, detail).toBe(param);
      expect(detail).toContain(stored.field.instead);
    }
    expect(gateway.simulator.calls.length).toBe(before);
  });

  test('cannot be named in a request whose tokens are counted', async () => {
    const before = gateway.simulator.calls.length;
    for (const stored of storedPaths.filter(({ format }) => format === 'messages')) {
      const { body, param } = storedRequest(stored, 'anthropic-usual');
      const reply = await gateway.post(
        '/v1/messages/count_tokens',
        { ...body, max_tokens: undefined },
        headers,
      );
      expect((await refused(reply)).error.param).toBe(param);
    }
    expect(gateway.simulator.calls.length).toBe(before);
  });

  test('cannot be named in a background response, which is then not created', async () => {
    for (const stored of storedPaths.filter(({ format }) => format === 'responses')) {
      const { body, param } = storedRequest(stored, 'openai-usual');
      const reply = await gateway.post('/v1/responses', { ...body, background: true });
      expect((await refused(reply)).error.param).toBe(param);
    }
  });

  test('cannot be named in a line of a batch: the file is rejected, and the row names the field', async () => {
    for (const stored of storedPaths.filter(
      ({ format, path }) => format !== 'messages' && !path.startsWith('audio'),
    )) {
      const reply = await upload(gateway, lineOf(stored));
      const { type, error, detail } = (await reply.json()) as Refused;
      const field = `body.${stored.path.replaceAll('[]', '[0]')}`;
      expect([reply.status, type, error.rows], detail).toEqual([
        ...[400, 'invalid_line', [{ row: 1, reason: 'field_not_allowed', field }]],
      ]);
    }
  });

  test.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    [
      'input[1]',
      {
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
    ],
    ['input[0]', { input: [{ id: 'msg_1' }] }],
  ])('a line of a batch cannot refer to a kept response with %s', async (field, more) => {
    const body = { model: 'lines', service_tier: 'default', input: 'Hi', ...more };
    const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/responses', body });
    const { type, error } = (await (await upload(gateway, line)).json()) as Refused;
    expect([type, error.rows]).toEqual([
      ...['invalid_line', [{ row: 1, reason: 'field_not_allowed', field: `body.${field}` }]],
    ]);
  });

  test.each([
    ...[null, {}, []].map((value) => ['chat', { audio: null, preset: value, data_sources: value }] as const),
    ...[null, {}].map((value) => ['messages', { thread: value, container: value }] as const),
    ['messages', { diagnostics: { previous_message_id: null } }],
    ['responses', { conversation: null, prompt: null }],
  ] as const)('an unset field of %s is no name: %j', async (format, more) => {
    const dialect = { chat: 'openai-compatible', messages: 'anthropic', responses: 'openai' }[format];
    const { body } = storedRequest({ format, path: 'user' }, `${dialect}-usual`);
    const reply = await gateway.post(paths[format], { ...body, user: undefined, ...more }, headers);
    const { type, detail } = (await reply.json()) as Partial<Refused>;
    // A provider may reject a field that it does not know; the gateway does not.
    expect(`${type} ${detail}`).not.toContain('at a provider');
  });

  test('schemas, arguments and headers of callers may use the same words', async () => {
    const parameters = {
      type: 'object',
      properties: { file_id: { type: 'string' }, user_ids: { type: 'array' } },
    };
    const tools = [{ type: 'function', name: 'get_file', parameters }];
    const call = { type: 'function_call', call_id: 'c', name: 'get_file', arguments: '{"file_id":"f"}' };
    const output = { type: 'function_call_output', call_id: 'c', output: '{"container_id":"c"}' };
    const input = [{ role: 'user', content: 'fileid://x is a text' }, call, output];
    for (const model of ['openai-usual', 'anthropic-usual', 'google-usual']) {
      const reply = await gateway.post('/v1/responses', { model, input, tools });
      expect([reply.status, model]).toEqual([200, model]);
    }
  });

  test('a thread gets the error that the Anthropic library understands, also when it is repeated', async () => {
    const body = {
      model: 'anthropic-usual',
      max_tokens: 10,
      thread: { type: 'create' },
      messages: [{ role: 'user', content: 'Hi' }],
    };
    for (let i = 0; i < 2; i++) {
      const reply = await gateway.post('/v1/messages', body, { ...headers, 'idempotency-key': 'thread-1' });
      const { error, detail } = await refused(reply);
      expect(error.details).toEqual({ error_code: 'thread_unsupported_request', unsupported: ['thread'] });
      expect(detail).toMatch(/^thread: Extra inputs are not permitted\./);
      expect(reply.headers.get('x-should-retry')).toBeNull();
    }
  });

  test('the address of a file at Google is not a way to it', async () => {
    for (const url of [
      'https://generativelanguage.googleapis.com/v1beta/files/abc-123',
      'https://GenerativeLanguage.googleapis.com./v1/files/abc-123',
      'https://example.com/v1beta/files/abc-123',
    ]) {
      const content = [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url } },
      ];
      const before = gateway.simulator.calls.length;
      const reply = await gateway.chat({ model: 'google-usual', messages: [{ role: 'user', content }] });
      const { type, detail } = (await reply.json()) as Refused;
      expect([reply.status, type, gateway.simulator.calls.length], detail).toEqual([
        400,
        'invalid_parameter',
        before,
      ]);
    }
  });

  test('an answer is not stored at the provider because a chat call asks for it', async () => {
    const messages = [{ role: 'user', content: 'Reply with exactly: fine' }];
    for (const model of ['openai-usual', 'openai-responses-usual', 'anthropic-usual']) {
      const more = model === 'openai-usual' ? { metadata: { a: 'b' } } : {};
      const reply = await gateway.chat({ model, messages, store: true, ...more });
      expect(reply.status, model).toBe(200);
      expect(gateway.simulator.calls.at(-1)?.text, model).not.toMatch(/"store":true|metadata/);
    }
  });
});

const batchModel = {
  models: {
    lines: { batch: true, routes: [{ provider: 'openai', model: 'sim-chat' }] },
    'sim-chat': { routes: [{ provider: 'openai', model: 'sim-chat' }] },
  },
};

function lineOf(stored: StoredPath): string {
  const { body } = storedRequest(stored, 'lines');
  return JSON.stringify({
    ...{ custom_id: 'a', method: 'POST', url: paths[stored.format] },
    body: { service_tier: 'default', ...body },
  });
}

/** `image/jpg` is `image/jpeg` for every provider, relayed and translated: some reject the name that many programs write. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DialectCase, dialectCases, matrixConfig, modelCode } from '../matrix/dialects.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** The bytes are not looked at; 90 KB make a body whose long strings are kept outside of it. */
const sizes = { small: Buffer.from('ffd8ffe000104a464946', 'hex'), large: Buffer.alloc(90_000, 7) };

const formats = {
  chat: {
    path: '/v1/chat/completions',
    body: (data: string, type: string) => ({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Reply with exactly: seen' },
            { type: 'image_url', image_url: { url: `data:${type};base64,${data}` } },
          ],
        },
      ],
    }),
  },
  responses: {
    path: '/v1/responses',
    body: (data: string, type: string) => ({
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Reply with exactly: seen' },
            { type: 'input_image', image_url: `data:${type};base64,${data}` },
          ],
        },
      ],
    }),
  },
  messages: {
    path: '/v1/messages',
    body: (data: string, type: string) => ({
      max_tokens: 1_000,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Reply with exactly: seen' },
            { type: 'image', source: { type: 'base64', media_type: type, data } },
          ],
        },
      ],
    }),
  },
};
const names = Object.keys(formats) as Array<keyof typeof formats>;
const cells = names.flatMap((format) =>
  dialectCases.map((dialect) => [format, dialect.name, dialect] as const),
);

describe.each(oneEngine('embedded', 'translation'))('an image of the type image/jpg, on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: matrixConfig() });
  });
  afterAll(() => gateway.stop());

  async function sent(
    format: keyof typeof formats,
    dialect: DialectCase,
    data: string,
    type: string,
  ): Promise<string> {
    const { path, body } = formats[format];
    const asked = { model: modelCode(dialect), ...body(data, type) };
    const reply = await gateway.post(path, asked, { 'vendor-version': '2023-06-01' });
    expect(reply.status, await reply.text()).toBe(200);
    return gateway.simulator.calls.at(-1)?.text ?? '';
  }

  test.each(cells)('reaches the provider as image/jpeg in %s on %s', async (format, _, dialect) => {
    for (const bytes of Object.values(sizes)) {
      const data = bytes.toString('base64');
      const proper = await sent(format, dialect, data, 'image/jpeg');
      for (const type of ['image/jpg', 'IMAGE/JPG'])
        expect(await sent(format, dialect, data, type)).toBe(proper);
      expect(proper).toContain(data);
    }
  });

  test('is counted as image/jpeg by a provider that counts', async () => {
    const { max_tokens: _, ...body } = formats.messages.body(sizes.small.toString('base64'), 'image/jpg');
    const headers = { 'vendor-version': '2023-06-01' };
    const reply = await gateway.post(
      '/v1/messages/count_tokens',
      { model: 'anthropic-usual', ...body },
      headers,
    );
    expect(reply.status, await reply.text()).toBe(200);
    expect(gateway.simulator.calls.at(-1)?.text).toContain('"media_type":"image/jpeg"');
  });

  test('is image/jpeg when a reference of that type is used', async () => {
    const form = new FormData();
    form.set('file', new Blob([sizes.small], { type: 'image/jpg' }), 'a.jpg');
    const headers = { authorization: `Bearer ${gateway.key}` };
    const uploaded = await fetch(`${gateway.url}/v1/references`, { method: 'POST', body: form, headers });
    const { reference } = (await uploaded.json()) as { reference: string };
    const content = [{ type: 'image_url', image_url: { url: reference } }];
    for (const model of ['openai-usual', 'anthropic-usual', 'google-usual', 'bedrock-usual']) {
      const reply = await gateway.chat({ model, messages: [{ role: 'user', content }] });
      expect(reply.status, await reply.text()).toBe(200);
      expect(gateway.simulator.calls.at(-1)?.text, model).toMatch(/image\/jpeg|"format":"jpeg"/);
    }
  });
});

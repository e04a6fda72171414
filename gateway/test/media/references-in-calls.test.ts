/** References in calls: found in the caller's own space, and put to each provider in the way that it takes them. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { oneEngine, quickEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { bluePng, keepReference, redPng } from '../support/references.ts';
import {
  type AskFormat,
  askAbout,
  imageParams,
  paths,
  referencesConfig,
  send,
  wordsOf,
} from '../support/references-stage.ts';

const formats: readonly AskFormat[] = ['chat', 'responses', 'messages'];
/** Where a body goes is the same on either engine. */
const SMOKE = ['on-openai', 'fails-over'];
const models = ['on-openai', 'on-compatible', 'on-claude', 'on-gemini', 'on-bedrock', 'fails-over'];

interface Refused {
  readonly type: string;
  readonly detail: string;
  readonly error: { readonly code: string; readonly param: string };
}

describe.each(oneEngine('postgres', 'translation'))('references on %s', (engine) => {
  let gateway: TestGateway;
  let red: string;
  let otherKey: string;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: referencesConfig });
    red = await keepReference(gateway);
    await gateway.admin('spaces.create', { name: 'other', overage: true });
    const made = await gateway.admin('keys.create', {
      name: 'o',
      kind: 'shared',
      space: 'other',
    });
    otherKey = made.key;
  });

  afterAll(() => gateway.stop());

  const cells = formats.flatMap((format) =>
    (engine === quickEngine ? models : SMOKE).flatMap((model) =>
      [false, true].map((stream) => [format, model, stream] as const),
    ),
  );

  test.each(cells)('%s to %s (streamed: %s) shows the model the picture', async (format, model, stream) => {
    const reply = await send(gateway, format, askAbout(red, format, { model, stream }));
    const answer = await reply.text();
    expect(reply.status, answer).toBe(200);
    expect(wordsOf(answer)).toContain('mostly red');
    const sent = gateway.simulator.calls.at(-1);
    expect(sent?.text).not.toContain('svc-file');
    expect(sent?.text).toContain(redPng.toString('base64'));
  });

  test.each(formats)('a body in %s that is passed on keeps every other byte', async (format) => {
    const model = format === 'messages' ? 'on-claude' : 'on-openai';
    const upstream = format === 'messages' ? 'sim-claude' : 'sim-chat';
    const asked = JSON.stringify(
      askAbout(red, format, { model, unknown_field: 'kept', store: false }),
      null,
      3,
    );
    // As PHP writes addresses.
    await send(gateway, format, asked.replaceAll('//ref_', '\\/\\/ref_'));
    const sent = gateway.simulator.calls.at(-1)?.text ?? '';
    const data = `data:image/png;base64,${redPng.toString('base64')}`;
    expect(JSON.parse(sent)).toMatchObject({ model: upstream, unknown_field: 'kept' });
    if (format === 'chat') expect(sent).toBe(asked.replace(red, data).replace(model, upstream));
  });

  test.each(formats)('one that is not there is one answer in %s, whatever the reason', async (format) => {
    const expired = await keepReference(gateway, { expiresAt: Date.now() - 1 });
    const foreign = await keepReference(gateway, { space: 'other' });
    const absent = `${red.slice(0, -6)}zzzzzz`;
    const wrongTrack = red.replace('svc-file', 'svc-asset');
    const malformed = [
      'svc-file://',
      'svc-file://ref_',
      'svc-file://../../etc/passwd',
      `${red}?x=1`,
      `${red} `,
    ];
    const answers = new Set<string>();
    for (const url of [expired, foreign, absent, wrongTrack, ...malformed]) {
      const reply = await send(gateway, format, askAbout(url, format, { model: 'on-openai' }));
      const { type, detail, error } = (await reply.json()) as Refused;
      expect([reply.status, type, error.param], url).toEqual([400, 'invalid_parameter', imageParams[format]]);
      answers.add(detail);
    }
    expect([...answers]).toEqual([
      `${imageParams[format]} names no reference of this space. Upload the file with POST /v1/references, and use the returned reference unchanged.`,
    ]);
    const theirs = await send(gateway, format, askAbout(red, format, { model: 'on-openai' }), otherKey);
    expect([theirs.status, ((await theirs.json()) as Refused).detail]).toEqual([400, [...answers][0]]);
  });

  test.each(formats)('a film is no image in %s, and is refused as what it is', async (format) => {
    const film = await keepReference(gateway, {
      kind: 'video',
      mimeType: 'video/mp4',
      bytes: Buffer.from('film'),
    });
    const before = gateway.simulator.calls.length;
    const reply = await send(gateway, format, askAbout(film, format, { model: 'on-openai', stream: true }));
    const { detail, error } = (await reply.json()) as Refused;
    expect([reply.status, error.param]).toEqual([400, imageParams[format]]);
    expect(detail).toBe(
      `${imageParams[format]} must name a file of type image, but the reference is video/mp4. Use another file.`,
    );
    expect(gateway.simulator.calls).toHaveLength(before);
  });

  test.each([
    ['chat', 'svc-other://ref_x'],
    ['chat', 'file:///etc/passwd'],
    ['chat', 'ftp://example.com/a'],
    ['chat', 'SVC-FILE://ref_x'],
    ['responses', 'gopher://x/'],
    ['messages', 'not an address'],
  ] as const)(
    'no provider is handed what is neither an address nor a picture: %s %s',
    async (format, url) => {
      const before = gateway.simulator.calls.length;
      const model = format === 'messages' ? 'on-claude' : 'on-openai';
      const reply = await send(gateway, format, askAbout(url, format, { model }));
      const { type, error } = (await reply.json()) as Refused;
      expect([reply.status, type, error.param]).toEqual([400, 'invalid_parameter', imageParams[format]]);
      expect(gateway.simulator.calls).toHaveLength(before);
    },
  );

  test.each([
    ['chat', 'on-openai', 'http://169.254.169.254/latest/meta-data/'],
    ['chat', 'on-gemini', 'http://167772161/'],
    ['responses', 'on-openai', 'https://[::ffff:10.0.0.1]/a.png'],
    ['messages', 'on-claude', 'https://u:p@93.184.215.14/a.png'],
    ['messages', 'on-claude', 'https://localhost/a.png'],
  ] as const)(
    'an address that is not public reaches no provider: %s to %s, %s',
    async (format, model, url) => {
      const before = gateway.simulator.calls.length;
      const reply = await send(gateway, format, askAbout(url, format, { model, stream: true }));
      const { type, error } = (await reply.json()) as Refused;
      expect([reply.status, type, error.param]).toEqual([400, 'invalid_parameter', imageParams[format]]);
      expect(gateway.simulator.calls).toHaveLength(before);
    },
  );

  test('servers of tools that a provider is to talk to are looked at as well', async () => {
    const tools = [{ type: 'mcp', server_label: 'x', server_url: 'http://10.0.0.1/mcp' }];
    const asked = await send(gateway, 'responses', { model: 'on-openai', input: 'Hi', tools });
    expect(((await asked.json()) as Refused).error.param).toBe('tools[0].server_url');
    const servers = [{ type: 'url', name: 'x', url: 'http://127.0.0.2/mcp' }];
    const body = {
      model: 'on-claude',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hi' }],
      mcp_servers: servers,
    };
    const said = await send(gateway, 'messages', body);
    expect(((await said.json()) as Refused).error.param).toBe('mcp_servers[0].url');
  });

  test('an address that the operator allowed goes to the provider as it is', async () => {
    const url = 'http://127.0.0.1:9/a.png?x=1';
    for (const format of formats) {
      const reply = await send(gateway, format, askAbout(url, format, { model: 'on-openai' }));
      expect(wordsOf(await reply.text())).toContain(url);
    }
  });

  test.each([
    [
      'chat',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
      'messages[0].content[0].file.file_id',
    ],
    [
      'responses',
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }] },
      'input[0].content[0].file_id',
    ],
    [
      'messages',
      {
        max_tokens: 9,
        messages: [
          { role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }] },
        ],
      },
      'messages[0].content[0].source.file_id',
    ],
  ] as const)('a file that lies at a provider is nobody\u2019s to name: %s', async (format, body, param) => {
    const model = format === 'messages' ? 'on-claude' : 'on-openai';
    const reply = await send(gateway, format, { model, ...body });
    expect([reply.status, ((await reply.json()) as Refused).error.param]).toEqual([400, param]);
  });

  test('several pictures, one of them twice, and words that only look like one', async () => {
    const blue = await keepReference(gateway, { bytes: bluePng });
    const image = (url: string): object => ({ type: 'image_url', image_url: { url } });
    const content = [image(red), image(blue), { type: 'text', text: `Say only: ${red}` }, image(red)];
    for (const model of ['on-openai', 'on-claude']) {
      const reply = await send(gateway, 'chat', { model, messages: [{ role: 'user', content }] });
      expect(reply.status).toBe(200);
      const sent = gateway.simulator.calls.at(-1)?.text ?? '';
      expect(sent.split(redPng.toString('base64'))).toHaveLength(3);
      expect(sent.split(bluePng.toString('base64'))).toHaveLength(2);
      expect(sent.split(red)).toHaveLength(2);
    }
  });

  test('pictures inside results of tools and documents are found', async () => {
    const image = { type: 'image', source: { type: 'url', url: red } };
    const use = { type: 'tool_use', id: 'call_1', name: 'look', input: {} };
    const body = {
      ...{ model: 'on-claude', max_tokens: 99, tools: [{ name: 'look', input_schema: { type: 'object' } }] },
      messages: [
        { role: 'user', content: 'Look' },
        { role: 'assistant', content: [use] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: [image] }] },
      ],
    };
    expect((await send(gateway, 'messages', body)).status).toBe(200);
    expect(gateway.simulator.calls.at(-1)?.text).toContain(redPng.toString('base64'));
    const missing = { type: 'image', source: { type: 'url', url: 'svc-file://ref_x' } };
    const result = { type: 'tool_result', tool_use_id: 'call_1', content: [missing] };
    const wrong = { ...body, messages: [...body.messages.slice(0, 2), { role: 'user', content: [result] }] };
    const { error } = (await (await send(gateway, 'messages', wrong)).json()) as Refused;
    expect(error.param).toBe('messages[2].content[0].content[0].source.url');
  });

  test('prompts with pictures are counted', async () => {
    for (const model of ['on-claude', 'on-openai']) {
      const reply = await gateway.post(
        `${paths.messages}/count_tokens`,
        { ...askAbout(red, 'messages'), max_tokens: undefined, model },
        { 'anthropic-version': '2023-06-01' },
      );
      expect(reply.status).toBe(200);
      expect(((await reply.json()) as { input_tokens: number }).input_tokens).toBeGreaterThan(0);
    }
  });

  test('a kept response remembers the reference, not the picture', async () => {
    const first = await send(gateway, 'responses', askAbout(red, 'responses', { model: 'on-openai' }));
    const { id } = (await first.json()) as { id: string };
    const next = { model: 'on-claude', previous_response_id: id, input: 'And what was it?' };
    expect((await send(gateway, 'responses', next)).status).toBe(200);
    expect(gateway.simulator.calls.at(-1)?.text).toContain(redPng.toString('base64'));
    const [kept] = await gateway.query<{ text: string }>(
      sql`select string_agg(row_to_json(r)::text, '') as text from kept_responses r`,
    );
    expect(kept?.text).toContain(red);
    expect(kept?.text).not.toContain(redPng.toString('base64'));
  });

  test('every use moves the end of a reference on, once a day', async () => {
    const day = 24 * 60 * 60 * 1000;
    const soon = await keepReference(gateway, { expiresAt: Date.now() + 2 * day });
    await send(gateway, 'chat', askAbout(soon, 'chat', { model: 'on-openai' }));
    const id = soon.replace('svc-file://', '');
    await expect
      .poll(async () => {
        const [row] = await gateway.query<{ at: number }>(
          sql`select expires_at as at from reference_files where id = ${id}`,
        );
        return (row?.at ?? 0) - Date.now();
      })
      .toBeGreaterThan(29 * day);
  });

  test('a picture that is too large for every route is refused by its name', async () => {
    const large = await keepReference(gateway, { bytes: Buffer.alloc(4_000_000, redPng) });
    const reply = await send(gateway, 'chat', askAbout(large, 'chat', { model: 'on-bedrock' }));
    const { detail, error } = (await reply.json()) as Refused;
    expect([reply.status, error.param]).toEqual([400, imageParams.chat]);
    expect(detail).toMatch(/is too large for this model, which takes 3\.6 MiB each/);
  });

  test('the largest there may be goes through whole', async () => {
    const bytes = Buffer.alloc(30 * 1024 * 1024, 'a picture of thirty mebibytes. ');
    redPng.copy(bytes);
    const large = await keepReference(gateway, { bytes });
    await send(gateway, 'chat', askAbout(large, 'chat', { model: 'on-openai' }));
    const sent = JSON.parse(gateway.simulator.calls.at(-1)?.text ?? '') as {
      messages: Array<{ content: Array<{ image_url?: { url: string } }> }>;
    };
    const url = sent.messages[0]?.content[1]?.image_url?.url ?? '';
    const got = createHash('sha256').update(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
    expect(got.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  test('nothing of a picture stands in a log', () => {
    const all = gateway.logged.join('\n');
    expect(all).not.toContain(redPng.toString('base64').slice(0, 60));
  });
});

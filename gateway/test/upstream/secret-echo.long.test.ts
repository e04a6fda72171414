/** What a provider repeats of secrets, names and addresses reaches neither the caller, the log nor the database. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import {
  CALLED_KEY,
  forms,
  inside,
  OTHER_HOST,
  OTHER_KEY,
  places,
  plain,
  tracesOf,
} from '../support/echo-cases.ts';
import { type EchoAnswer, type EchoProvider, startEchoProvider } from '../support/echo-provider.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { VideoStage } from '../support/video-jobs-stage.ts';

/** Formats as callers use them, each on the provider that speaks it, so that its errors come as they are. */
const formats = {
  chat: { path: '/v1/chat/completions', model: 'on-openai' },
  responses: { path: '/v1/responses', model: 'on-openai' },
  messages: { path: '/v1/messages', model: 'on-claude' },
  gemini: { path: '/v1/chat/completions', model: 'on-gemini' },
  bedrock: { path: '/v1/chat/completions', model: 'on-bedrock' },
  embeddings: { path: '/v1/embeddings', model: 'embed' },
  images: { path: '/v1/images/generations', model: 'picture' },
} as const;
type Format = keyof typeof formats;

interface EchoCase {
  readonly name: string;
  readonly format: Format;
  readonly answer: EchoAnswer;
  readonly streams: boolean;
  /** As the provider repeats it. */
  readonly written: string;
  readonly leaks: (shown: string) => boolean;
}

const cases: EchoCase[] = [];
/** A route that fails is left alone for a while, so each of these cases has one of its own. */
const failing = ({ answer }: Pick<EchoCase, 'answer'>): boolean => answer.status > 400;
const providerOf: Readonly<Record<Format, string>> = {
  chat: 'openai',
  responses: 'openai',
  embeddings: 'openai',
  images: 'openai',
  messages: 'claude',
  gemini: 'gemini',
  bedrock: 'bedrock',
};
const endpointsOf: Readonly<Partial<Record<Format, string>>> = {
  embeddings: 'endpoints: [embeddings], ',
  images: 'endpoints: [images], ',
};
function add(
  name: string,
  given: { format?: Format; answer: EchoAnswer; streams?: boolean; secret?: string; written: string },
): void {
  const id = `${cases.length} ${name}`;
  const leaks = tracesOf(given.secret ?? CALLED_KEY, given.written);
  cases.push({ format: 'chat', streams: false, ...given, leaks, name: id.replace(/[^\w ,.-]/g, '') });
}

// Every place, every form, the key of the provider that answers and of another one.
for (const [place, put] of Object.entries(places)) {
  for (const [form, write] of Object.entries(forms)) {
    for (const secret of [CALLED_KEY, OTHER_KEY]) {
      const written = write(secret);
      const answer = { status: 400, body: put(`Incorrect key ${written} was sent.`) };
      add(`${place}, ${form}`, { answer, secret, written });
    }
  }
}
// Wherever text is cut.
for (const form of ['as it is', 'in upper case', 'in base64', 'for an address, every character']) {
  const written = (forms[form] as (secret: string) => string)(CALLED_KEY);
  for (const limit of [200, 1_000, 2_000]) {
    for (let before = limit - written.length - 2; before <= limit + 2; before += 9) {
      const message = 'z '.repeat(limit).slice(0, before) + written;
      const body = { error: { message, param: message } };
      add(`cut at ${before}, ${form}`, {
        answer: { status: 400, body },
        written,
      });
    }
  }
}
// In every format, whole and in the middle of a stream.
const errors: Readonly<Record<string, (words: string) => object>> = {
  message: (words) => ({ message: words, type: 'invalid_request_error', status: 'INVALID_ARGUMENT' }),
  'code and type': (words) => ({ message: 'bad', type: words, code: words, status: words }),
  param: (words) => ({ message: `${words}: bad`, param: words, details: [{ reason: words }] }),
};
const opening: Readonly<Partial<Record<Format, { first: string; fail: (error: object) => string }>>> = {
  chat: {
    first: 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}]}\n\n',
    fail: (error) => `data: ${JSON.stringify({ error })}\n\n`,
  },
  responses: {
    first:
      'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r"}}\n\n',
    fail: (error) =>
      `event: response.failed\ndata: ${JSON.stringify({ type: 'response.failed', response: { error } })}\n\n`,
  },
  messages: {
    first: 'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":1}}}\n\n',
    fail: (error) => `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`,
  },
  gemini: {
    first: 'data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]}\n\n',
    fail: (error) => `data: ${JSON.stringify({ error })}\n\n`,
  },
};
for (const format of Object.keys(formats) as Format[]) {
  for (const [place, put] of Object.entries(errors)) {
    for (const form of ['as it is', 'in upper case', 'in base64 with a name', 'escaped for JSON']) {
      const written = (forms[form] as (secret: string) => string)(CALLED_KEY);
      const error = put(written);
      const body = format === 'bedrock' ? error : { type: 'error', error };
      for (const status of [400, 401])
        add(`${format} ${status} ${place}, ${form}`, { format, answer: { status, body }, written });
      const stream = opening[format];
      if (stream === undefined) continue;
      const frames = [stream.first, stream.fail(error)];
      add(`${format} stream, ${place}, ${form}`, {
        format,
        streams: true,
        answer: { status: 200, body: '', frames },
        written,
      });
    }
  }
}
add('a list as the error of a stream', {
  streams: true,
  answer: {
    status: 200,
    body: '',
    frames: [opening.chat?.first ?? '', `data: {"error":["${CALLED_KEY}"]}\n\n`],
  },
  written: CALLED_KEY,
});
// With 200, in headers, and after all attempts.
for (const [status, body] of [
  [200, { error: { message: CALLED_KEY } }],
  [
    200,
    { object: 'response', status: 'failed', output: [], error: { message: CALLED_KEY, code: CALLED_KEY } },
  ],
  [403, { error: { message: CALLED_KEY, code: CALLED_KEY } }],
  [404, { error: { message: CALLED_KEY, code: CALLED_KEY } }],
  [500, { error: { message: CALLED_KEY, code: CALLED_KEY } }],
] as const) {
  const headers = {
    'x-request-id': CALLED_KEY,
    'www-authenticate': `Bearer key="${CALLED_KEY}"`,
    'retry-after': '1',
  };
  for (const format of ['chat', 'responses'] as const) {
    add(`${format} ${status}`, {
      format,
      answer: { status, body, headers },
      written: CALLED_KEY,
    });
  }
}

describe.each(oneEngine('postgres', 'providers'))('what a provider repeats, on %s', (engine) => {
  let gateway: TestGateway;
  let provider: EchoProvider;
  beforeAll(async () => {
    provider = await startEchoProvider();
    const { origin } = provider;
    const at = (dialect: string, base: string): string =>
      `{ dialect: ${dialect}, base_url: '${origin}${base}', api_key: '${CALLED_KEY}' }`;
    const all = 'capabilities: [streaming]';
    const lonely = cases.flatMap((one, i) =>
      failing(one)
        ? `  lonely-${i}: { ${endpointsOf[one.format] ?? ''}routes: [{ provider: ${providerOf[one.format]}, model: m }] }`
        : [],
    );
    gateway = await startGateway({
      engine,
      config: `
providers:
  openai: ${at('openai', '/v1')}
  claude: ${at('anthropic', '')}
  gemini: ${at('google', '/v1beta')}
  bedrock: ${at('bedrock', '')}
  elsewhere: { dialect: openai, base_url: 'http://${OTHER_HOST}:8443/v1', api_key: '${OTHER_KEY}' }
  maker:
    dialect: http-video
    base_url: '${origin}/generic'
    api_key: '${CALLED_KEY}'
    video:
      auth: { header: x-video-key, prefix: 'Key ' }
      inputs: data_url
      job: /job
      create: { path: /video, body: '{ "client_id": "{{client_id}}", "prompt": "{{prompt}}" }' }
      status: { path: '/video/{id}', state: /phase, states: { queued: [waiting], succeeded: [done], failed: [error] }, files: /videos, file_url: /href }
      error: { message: /fault/text, code: /fault/kind, blocked: [moderation] }
limits: { batch_poll_ms: 20, video_poll_ms: 20, video_unknown_ms: 50 }
models:
  on-openai: { ${all}, routes: [{ provider: openai, model: m }] }
  on-claude: { ${all}, routes: [{ provider: claude, model: m }] }
  on-gemini: { ${all}, routes: [{ provider: gemini, model: m }] }
  on-bedrock: { ${all}, routes: [{ provider: bedrock, model: m }] }
  own-lines: { batch: own, ${all}, routes: [{ provider: openai, model: m }] }
  their-lines: { batch: provider, ${all}, routes: [{ provider: openai, model: m }] }
  embed: { endpoints: [embeddings], routes: [{ provider: openai, model: m }] }
  picture: { endpoints: [images], routes: [{ provider: openai, model: m }] }
  film: { endpoints: [video], routes: [{ provider: openai, model: m }] }
  film-maker: { endpoints: [video], routes: [{ provider: maker, model: m }] }
${lonely.join('\n')}
`,
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await provider.stop();
  });

  async function ask(tried: Pick<EchoCase, 'name' | 'answer'> & Partial<EchoCase>): Promise<string> {
    const { name, format = 'chat', streams = false } = tried;
    const { path } = formats[format];
    const model = failing(tried) ? `lonely-${cases.indexOf(tried as EchoCase)}` : formats[format].model;
    const prompt = `case:${name};`;
    const asked: Record<Format, object> = {
      chat: { messages: [{ role: 'user', content: prompt }] },
      gemini: { messages: [{ role: 'user', content: prompt }] },
      bedrock: { messages: [{ role: 'user', content: prompt }] },
      responses: { input: prompt },
      messages: { messages: [{ role: 'user', content: prompt }], max_tokens: 9 },
      embeddings: { input: prompt },
      images: { prompt },
    };
    const reply = await gateway.post(
      path,
      { model, ...asked[format], ...(streams && { stream: true }) },
      { 'anthropic-version': '2023-06-01' },
    );
    const headers = [...reply.headers].map(([header, value]) => `${header}: ${value}`);
    return `${headers.join('\n')}\n${await reply.text()}`;
  }

  /** The log, every row of every table, and what was written to files. */
  async function kept(): Promise<string> {
    const tables = await gateway.query<{ name: string }>(sql`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`);
    const rows: string[] = [];
    for (const { name } of tables) {
      const text = `select row_to_json(t)::text as row from "${name}" t`;
      rows.push(...(await gateway.query<{ row: string }>({ text, values: [] })).map(({ row }) => row));
    }
    return [
      ...rows,
      ...filesIn(join(gateway.folder, 'blobs')),
      ...filesIn(join(gateway.folder, 'logs')),
    ].join('\n');
  }

  test(`${cases.length} ways to repeat a key reach neither caller, log nor database`, async () => {
    expect(cases.length).toBeGreaterThan(272);
    for (const { name, answer } of cases) provider.answers.set(name, answer);
    const leaked: string[] = [];
    const one = async (tried: EchoCase): Promise<void> => {
      if (tried.leaks(plain(await ask(tried)))) leaked.push(`${tried.name} (caller)`);
    };
    for (let at = 0; at < cases.length; at += 8) await Promise.all(cases.slice(at, at + 8).map(one));
    expect(cases.filter(({ name }) => !provider.asked.has(name))).toEqual([]);
    const [logged, stored] = [gateway.logged.join('\n'), await kept()];
    const [plainLog, plainStored] = [plain(logged), plain(stored)];
    // The same words in many places are looked for once.
    for (const written of new Set(cases.map((one) => one.written))) {
      const { name, leaks } = cases.find((one) => one.written === written) as EchoCase;
      if (leaks(plainLog)) leaked.push(`${name} (log)`);
      if (leaks(plainStored)) leaked.push(`${name} (database)`);
    }
    expect(leaked).toEqual([]);
    expect(logged).toContain('a request was refused');
    expect(stored).toContain('Incorrect key [secret] was sent.');
  });

  test('the caller does not see addresses, host names, accounts or keys that nobody configured here', async () => {
    for (const [i, words] of inside.entries()) {
      for (const [place, put] of Object.entries(places).slice(0, 2)) {
        const name = `inside ${i} ${place}`;
        const answer = { status: 400, body: put(`It said ${words} to us.`) };
        provider.answers.set(name, answer);
        const shown = await ask({ name, answer });
        expect(shown.toLowerCase()).not.toContain(words.toLowerCase());
        for (const part of words.split(/[@:/\s]/)) if (part.length > 9) expect(shown).not.toContain(part);
        expect(shown).toContain('It said [');
      }
    }
  });

  test('an error that repeats nothing keeps its words and its field', async () => {
    const message =
      "Invalid value for 'tools[0].user_location': expected at most 1.5 of 4,096 tokens; see key_not_found.";
    const answer = { status: 400, body: { error: { message, param: 'tools[0].user_location' } } };
    provider.answers.set('plain', answer);
    const shown = await ask({ name: 'plain', answer });
    expect(shown).toContain(JSON.stringify(message));
    expect(shown).toContain('"param":"tools[0].user_location"');
  });

  test.each(['own-lines', 'their-lines'])('batches fail without repeating a key: %s', async (model) => {
    const stage = new BatchStage(gateway);
    const tried = Object.entries(forms).map(([form, write], i) => ({
      name: `${model} ${i}`,
      form,
      written: write(CALLED_KEY),
    }));
    for (const { name, written } of tried) {
      const error = { message: `Bad ${written}`, param: written, code: 'unsupported_parameter' };
      provider.answers.set(name, { status: 400, body: { error } });
      const response = { status_code: 400, body: { error } };
      provider.lineErrors.set(
        name,
        name.endsWith('1') ? { error: { ...error, code: written } } : { response },
      );
    }
    const { id } = await stage.submitted(tried.map(({ name }) => chatLine(name, `case:${name};`, { model })));
    const batch = await stage.settled(id);
    expect(batch.request_counts.failed).toBe(tried.length);
    const file = await (await stage.ask(`/v1/files/${batch.error_file_id}/content`)).text();
    const seen = [file, JSON.stringify(batch), gateway.logged.join('\n'), await kept()].join('\n');
    const leaked = tried.filter(({ written }) => tracesOf(CALLED_KEY, written)(plain(seen)));
    expect(leaked.map(({ form }) => form)).toEqual([]);
    expect(file).toContain('[secret]');
  });

  test('a batch that fails as a whole repeats no key', async () => {
    const stage = new BatchStage(gateway);
    const words = `Input rejected for ${CALLED_KEY.toUpperCase()} by ${OTHER_HOST}`;
    provider.batchErrors.push({ message: words, param: CALLED_KEY, code: CALLED_KEY, line: 1 });
    const { id } = await stage.submitted([chatLine('a', 'hi', { model: 'their-lines' })]);
    const batch = await stage.until(id, ({ status }) => status === 'failed');
    provider.batchErrors.length = 0;
    const seen = [JSON.stringify(batch), gateway.logged.join('\n'), await kept()].join('\n');
    expect(tracesOf(CALLED_KEY, CALLED_KEY)(plain(seen))).toBe(false);
    expect(JSON.stringify(batch)).not.toContain(OTHER_HOST);
    expect(JSON.stringify(batch.errors)).toContain('[secret]');
  });

  test.each(['film', 'film-maker'])('videos fail without repeating a key: %s', async (model) => {
    const videos = new VideoStage(gateway);
    const tried = ['as it is', 'in upper case', 'in base64', 'for an address, every character'];
    const shown: string[] = [];
    for (const [i, form] of tried.entries()) {
      const written = (forms[form] as (secret: string) => string)(CALLED_KEY);
      const words = `${'z '.repeat(490)}${written}`;
      const name = `${model}-${i}`;
      provider.lineErrors.set(name, {
        ...{ message: words, text: words, code: 'moderation_blocked', kind: 'moderation' },
      });
      const { id } = await videos.created(`case:${name};`, { model });
      const job = await videos.until(id, ({ status }) => status === 'failed');
      expect(job.error?.message).toContain('z z');
      shown.push(JSON.stringify(job));
    }
    const seen = plain([...shown, ...gateway.logged, await kept()].join('\n'));
    const leaked = tried.filter((form) => tracesOf(CALLED_KEY, forms[form]?.(CALLED_KEY) ?? '')(seen));
    expect(leaked).toEqual([]);
  });
});

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

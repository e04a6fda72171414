/** Batch files: an uploaded file is returned unchanged, and a rejected upload leaves nothing behind. */
import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { openaiClient } from '../support/clients.ts';
import { engines } from '../support/engines.ts';
import {
  chatLine,
  type FileAnswer,
  fileForm,
  filesConfig,
  getFile,
  kept,
  upload,
  uploaded,
} from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { startS3 } from '../support/s3.ts';

interface ErrorReply {
  readonly type: string;
  readonly detail: string;
  readonly error: {
    param: string | null;
    rows?: Array<{ row: number; reason: string; field: string | null }>;
  };
}

describe.each(engines)('files on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: filesConfig });
  });
  afterAll(() => gateway.stop());

  test('an uploaded file has the specified metadata, and its content is returned byte for byte', async () => {
    const text = `\ufeff${chatLine('ä').trimEnd()}\r\n\n${chatLine('b').trimEnd()}`;
    const file = await uploaded(gateway, fileForm(text, { filename: 'naïve "batch".jsonl' }));
    expect(file).toEqual({
      id: expect.stringMatching(/^file_[0-9a-z]{26}$/),
      object: 'file',
      filename: 'naïve %22batch%22.jsonl',
      purpose: 'batch',
      bytes: Buffer.byteLength(text),
      created_at: expect.closeTo(Date.now() / 1000, -1),
      status: 'processed',
    });
    expect(await (await getFile(gateway, file.id)).json()).toEqual(file);
    const content = await getFile(gateway, `${file.id}/content`);
    expect([content.status, content.headers.get('content-type')]).toEqual([200, 'application/jsonl']);
    expect(content.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(content.headers.get('content-disposition')).toBe(
      `attachment; filename="na_ve _22batch_22.jsonl"; filename*=UTF-8''na%C3%AFve%20%2522batch%2522.jsonl`,
    );
    expect(Buffer.from(await content.arrayBuffer()).equals(Buffer.from(text))).toBe(true);
  });

  test('the official client uploads a file and its waitForProcessing returns', async () => {
    const { files } = openaiClient(gateway);
    const sent = new File([chatLine('sdk')], 'sdk.jsonl');
    const { id, status } = await files.create({ file: sent, purpose: 'batch' });
    expect(status).toBe('processed');
    expect((await files.waitForProcessing(id, { maxWait: 1_000 })).status).toBe('processed');
  });

  test('the model and endpoint of the rows are stored with the file', async () => {
    const { id } = await uploaded(gateway, chatLine('facts-1') + chatLine('facts-2'));
    const [row] = await gateway.query(
      sql`select row_count, model, endpoint, embedding_inputs, batch_id, sha256 from files where id = ${id}`,
    );
    expect(row).toEqual({
      row_count: 2,
      model: 'sim-chat',
      endpoint: '/v1/chat/completions',
      embedding_inputs: 0,
      batch_id: null,
      sha256: createHash('sha256')
        .update(chatLine('facts-1') + chatLine('facts-2'))
        .digest('hex'),
    });
  });

  test('HEAD answers like GET, without a body', async () => {
    const { id, bytes } = await uploaded(gateway, chatLine('head'));
    const content = await getFile(gateway, `${id}/content`, gateway.key, 'HEAD');
    expect([content.status, content.headers.get('content-length'), await content.text()]).toEqual([
      200,
      String(bytes),
      '',
    ]);
    expect((await getFile(gateway, id, gateway.key, 'HEAD')).status).toBe(200);
    expect((await getFile(gateway, `${id}x/content`, gateway.key, 'HEAD')).status).toBe(404);
  });

  test('the official client uploads, retrieves and downloads unmodified', async () => {
    const openai = openaiClient(gateway);
    const text = chatLine('sdk-1') + chatLine('sdk-2');
    const file = await openai.files.create({
      file: await toFile(Buffer.from(text), 'sdk.jsonl'),
      purpose: 'batch',
    });
    expect(file).toMatchObject({
      object: 'file',
      filename: 'sdk.jsonl',
      purpose: 'batch',
      bytes: text.length,
    });
    expect(await openai.files.retrieve(file.id)).toMatchObject({ id: file.id, bytes: text.length });
    expect(await (await openai.files.content(file.id)).text()).toBe(text);
    const twice = openai.files.create(
      { file: await toFile(Buffer.from('{}\n'), 'bad.jsonl'), purpose: 'batch' },
      { idempotencyKey: 'sdk' },
    );
    await expect(twice).rejects.toMatchObject({ status: 400, code: 'invalid_line', param: 'custom_id' });
  });

  test('a file with bad rows is rejected with a description of the first and a list of all', async () => {
    const before = await kept(gateway);
    const text = `${chatLine('a')}{"custom_id": \n${chatLine('a')}${chatLine('b', { service_tier: undefined })}`;
    const reply = await upload(gateway, text);
    expect(reply.status).toBe(400);
    const { type, detail, error } = (await reply.json()) as ErrorReply;
    expect([type, error.param]).toEqual(['invalid_line', 'file']);
    expect(detail).toMatch(/^Row 2, invalid_json: .* 3 rows are not valid; error\.rows lists all of them\.$/);
    expect(error.rows).toEqual([
      { row: 2, reason: 'invalid_json', field: null },
      { row: 3, reason: 'duplicate_custom_id', field: 'custom_id' },
      { row: 4, reason: 'service_tier_required', field: 'body.service_tier' },
    ]);
    expect(await kept(gateway)).toEqual(before);
  });

  test('of many bad rows the first 100 are listed and all are counted', async () => {
    const reply = await upload(gateway, '{}\n'.repeat(250));
    const { detail, error } = (await reply.json()) as ErrorReply;
    expect([...new Set(error.rows?.map(({ row }) => row))]).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
    expect(detail).toContain('250 rows are not valid; error.rows lists the first 100.');
  });

  test.each([
    ['model_not_found', chatLine('a', { model: 'sim-hidden' })],
    ['model_not_batchable', chatLine('a', { model: 'sim-no-batch' })],
    ['endpoint_requires_web_search', researchLine()],
    ['empty_file', ''],
    ['unknown_field', researchLine({ max_tokens: 5, tools: [{ type: 'web_search' }] })],
  ])('%s is reported for a file whose only row is %j', async (reason, text) => {
    const { error } = (await (await upload(gateway, text)).json()) as ErrorReply;
    expect(error.rows?.map((row) => row.reason)).toEqual([reason]);
  });

  describe('malformed forms', () => {
    const line = chatLine('form');
    const part = (name: string, text: string, filename?: string): string =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n${text}\r\n`;
    const good = part('purpose', 'batch') + part('file', line, 'a.jsonl');

    test.each<[string, string, number, string, string | null, RegExp]>([
      ['no file', `${part('purpose', 'batch')}--b--`, 400, 'invalid_parameter', 'file', /file is required/],
      [
        'no file chosen',
        `${part('purpose', 'batch')}${part('file', '', '')}--b--`,
        400,
        'invalid_parameter',
        'file',
        /file is required/,
      ],
      [
        'a path instead of a file',
        `${part('purpose', 'batch')}${part('file', 'batch.jsonl')}--b--`,
        400,
        'invalid_parameter',
        'file',
        /-F file=@batch\.jsonl/,
      ],
      [
        'two files',
        `${good}${part('file', line, 'b.jsonl')}--b--`,
        400,
        'invalid_parameter',
        'file',
        /file must be sent once/,
      ],
      [
        'no purpose',
        `${part('file', line, 'a.jsonl')}--b--`,
        400,
        'invalid_parameter',
        'purpose',
        /purpose is required/,
      ],
      [
        'another purpose',
        `${part('file', line, 'a.jsonl')}${part('purpose', 'fine-tune')}--b--`,
        400,
        'invalid_parameter',
        'purpose',
        /purpose must be "batch"/,
      ],
      [
        'two purposes',
        `${good}${part('purpose', 'batch')}--b--`,
        400,
        'invalid_parameter',
        'purpose',
        /once/,
      ],
      [
        'a very long purpose',
        `${part('purpose', 'x'.repeat(100_000))}--b--`,
        400,
        'invalid_parameter',
        'purpose',
        /must be "batch"/,
      ],
      [
        'another field',
        `${good}${part('expires_after', '1')}--b--`,
        400,
        'invalid_parameter',
        'expires_after',
        /not a known field/,
      ],
      [
        'a name of control characters',
        `${part('file', line, 'a\u0007.jsonl')}--b--`,
        400,
        'invalid_parameter',
        'file',
        /control characters/,
      ],
      [
        'a very long name',
        `${part('file', line, 'a'.repeat(256))}--b--`,
        400,
        'invalid_parameter',
        'file',
        /255 characters/,
      ],
      [
        'too many parts',
        `${part('x', '').repeat(70)}--b--`,
        400,
        'invalid_parameter',
        null,
        /more than 64 parts/,
      ],
      [
        'a head without end',
        `--b\r\nContent-Disposition: ${'x'.repeat(9_000)}`,
        400,
        'invalid_parameter',
        null,
        /headers of part 1 .* too long/,
      ],
      ['no last boundary', good, 400, 'invalid_parameter', null, /cut off in part 2/],
      ['half a file', good.slice(0, -40), 400, 'invalid_parameter', null, /cut off in part 2/],
      ['nothing in it', '', 400, 'invalid_parameter', null, /does not begin/],
    ])(
      '%s is rejected, naming the field, and leaves nothing behind',
      async (_, body, status, type, param, detail) => {
        const before = await kept(gateway);
        const reply = await gateway.post('/v1/files', body, {
          'content-type': 'multipart/form-data; boundary=b',
        });
        const answer = (await reply.json()) as ErrorReply;
        expect([reply.status, answer.type, answer.error.param]).toEqual([status, type, param]);
        expect(answer.detail).toMatch(detail);
        expect(await kept(gateway)).toEqual(before);
      },
    );

    test.each([
      ['JSON', { 'content-type': 'application/json' }, 415, /multipart\/form-data/],
      ['JSON lines', { 'content-type': 'application/jsonl' }, 415, /multipart\/form-data/],
      ['a form without a boundary', { 'content-type': 'multipart/form-data' }, 400, /no boundary/],
      [
        'a compressed form',
        { 'content-type': 'multipart/form-data; boundary=b', 'content-encoding': 'gzip' },
        415,
        /Compressed/,
      ],
    ])('%s is rejected', async (_, headers, status, detail) => {
      const reply = await gateway.post('/v1/files', good, headers);
      expect([reply.status, ((await reply.json()) as ErrorReply).detail]).toEqual([
        status,
        expect.stringMatching(detail),
      ]);
    });

    test('an error reaches a client that is still sending', async () => {
      const body = `${part('colour', 'red')}${part('file', 'x'.repeat(20_000_000), 'a.jsonl')}--b--`;
      const reply = await gateway.post('/v1/files', body, {
        'content-type': 'multipart/form-data; boundary=b',
      });
      expect([reply.status, ((await reply.json()) as ErrorReply).error.param]).toEqual([400, 'colour']);
    });

    test('fields may come in any order', async () => {
      const reply = await gateway.post(
        '/v1/files',
        `${part('file', chatLine('order'), 'a.jsonl')}${part('purpose', 'batch')}--b--`,
        { 'content-type': 'multipart/form-data; boundary=b' },
      );
      expect(reply.status).toBe(200);
    });

    test('a connection that is cut during an upload leaves nothing behind', async () => {
      const before = await kept(gateway);
      const { port } = new URL(gateway.url);
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        `POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\ncontent-length: 100000\r\n` +
          `content-type: multipart/form-data; boundary=b\r\n\r\n${good.slice(0, -30)}`,
      );
      await vi.waitFor(async () => expect((await kept(gateway)).partial).toBe(before.partial + 1), PATIENCE);
      socket.destroy();
      await vi.waitFor(async () => expect(await kept(gateway)).toEqual(before), PATIENCE);
    });
  });

  test('a client that stops reading and disconnects does no harm', async () => {
    const words = randomBytes(200_000).toString('hex');
    const text = Array.from({ length: 20 }, (_, i) => chatLine(`slow-${i}`, { user: words })).join('');
    const { id } = await uploaded(gateway, text);
    const request = httpRequest(`${gateway.url}/v1/files/${id}/content`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    request.end();
    await new Promise<void>((resolve) =>
      request.once('response', (response) => response.once('data', () => resolve())),
    );
    request.destroy();
    const again = await getFile(gateway, `${id}/content`);
    expect((await again.text()).length).toBe(text.length);
    expect(gateway.logged.filter((line) => line.includes('a request broke'))).toEqual([]);
  });

  test('every reply has its request id and forbids caching', async () => {
    const reply = await upload(gateway, chatLine('headers'));
    expect(reply.headers.get('x-request-id')).toMatch(/^req_/);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });
});

test('files in a bucket are returned unchanged, and rejected uploads are deleted from it', async () => {
  const s3 = await startS3();
  const env = { S3_BUCKET: s3.bucket, S3_ENDPOINT: s3.endpoint, S3_PREFIX: 'files/' };
  const gateway = await startGateway({ config: filesConfig, env });
  try {
    const text = Array.from({ length: 30 }, (_, i) => chatLine(`${i}`, { user: 'x'.repeat(300_000) })).join(
      '',
    );
    const file: FileAnswer = await uploaded(gateway, text);
    const content = await getFile(gateway, `${file.id}/content`);
    expect(Buffer.from(await content.arrayBuffer()).equals(Buffer.from(text))).toBe(true);
    expect(s3.asked.some((asked) => asked.startsWith(`PUT /${s3.bucket}/files/${file.id}`))).toBe(true);
    const asked = s3.asked.length;
    expect((await upload(gateway, `${text}{}\n`)).status).toBe(400);
    expect(s3.asked.slice(asked).at(-1)).toMatch(/^DELETE .*uploadId=/);
    expect(await kept(gateway)).toEqual({ rows: 1, pending: 0, blobs: 0, partial: 0 });
    await s3.stop();
    const rejected = await upload(gateway, chatLine('later'));
    expect([rejected.status, rejected.headers.get('x-should-retry')]).toEqual([503, 'true']);
    expect(((await rejected.json()) as ErrorReply).type).toBe('service_unavailable');
    expect((await getFile(gateway, `${file.id}/content`)).status).toBe(503);
  } finally {
    await gateway.stop();
  }
});

function researchLine(more: object = {}): string {
  const body = { model: 'sim-research-1', service_tier: 'default', input: 'Hello', ...more };
  return `${JSON.stringify({ custom_id: 'r', method: 'POST', url: '/v1/responses', body })}\n`;
}

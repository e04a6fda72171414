/** Idempotency of uploads, with and without an Idempotency-Key. */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS, HOUR_MS } from '../../src/kernel/durations.ts';
import { openaiClient } from '../support/clients.ts';
import { engines } from '../support/engines.ts';
import { chatLine, fileForm, filesConfig, kept, upload, uploaded } from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

describe.each(engines)('uploads on %s', (engine) => {
  const clock = shiftedClock();
  let gateway: TestGateway;
  let ann: { laptop: string; phone: string };
  let bob: string;
  let elsewhere: string;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: filesConfig, clock });
    for (const email of ['ann@example.com', 'bob@example.com'])
      await gateway.admin('members.add', { space: 'acme', email, role: 'member' });
    ann = { laptop: await keyOf('laptop', 'ann'), phone: await keyOf('phone', 'ann') };
    bob = await keyOf('bob', 'bob');
    await gateway.admin('spaces.create', { name: 'elsewhere', overage: true });
    const made = await gateway.admin('keys.create', {
      name: 'e',
      space: 'elsewhere',
      kind: 'shared',
    });
    elsewhere = made.key;
  });
  afterAll(() => gateway.stop());

  async function keyOf(name: string, person?: string): Promise<string> {
    const email = person === undefined ? undefined : `${person}@example.com`;
    const kind = person === undefined ? 'shared' : 'personal';
    return (await gateway.admin('keys.create', { name, space: 'acme', kind, email })).key;
  }
  async function rejected(reply: Response): Promise<[number, string]> {
    return [reply.status, ((await reply.json()) as { type: string }).type];
  }

  describe('without a key', () => {
    test('the same bytes within an hour return the same file, whatever the file name', async () => {
      const text = chatLine('same');
      const first = await uploaded(gateway, text);
      const before = await kept(gateway);
      expect(await uploaded(gateway, fileForm(text, { filename: 'other.jsonl' }))).toEqual(first);
      clock.shift(HOUR_MS - 5_000);
      expect((await uploaded(gateway, text)).id).toBe(first.id);
      expect(await kept(gateway)).toEqual(before);
      clock.shift(5_001);
      expect((await uploaded(gateway, text)).id).not.toBe(first.id);
    });

    test.each([
      ['a space more', (text: string) => `${text} `],
      ['another line end', (text: string) => text.replace('\n', '\r\n')],
      ['a blank line', (text: string) => `${text}\n`],
      ['a byte order mark', (text: string) => `\ufeff${text}`],
    ])('bytes that differ by %s create another file', async (_, change) => {
      const text = chatLine('bytes');
      const [first, second] = [await uploaded(gateway, text), await uploaded(gateway, change(text))];
      expect(second.id).not.toBe(first.id);
    });

    test('the same bytes create another file for another owner, but not for another key of the same person', async () => {
      const text = chatLine('owners');
      const mine = await uploaded(gateway, text, { key: ann.laptop });
      expect((await uploaded(gateway, text, { key: ann.phone })).id).toBe(mine.id);
      for (const key of [bob, gateway.key, elsewhere])
        expect((await uploaded(gateway, text, { key })).id).not.toBe(mine.id);
    });

    test('a rejected file is rejected again', async () => {
      expect(await rejected(await upload(gateway, '{}\n'))).toEqual([400, 'invalid_line']);
      expect(await rejected(await upload(gateway, '{}\n'))).toEqual([400, 'invalid_line']);
    });
  });

  describe('with a key', () => {
    test('the same key and bytes within 24 hours return the same file, and nothing more is stored', async () => {
      const idempotencyKey = 'same';
      const first = await uploaded(gateway, chatLine('k'), { idempotencyKey });
      const before = await kept(gateway);
      expect(await uploaded(gateway, chatLine('k'), { idempotencyKey })).toEqual(first);
      clock.shift(DAY_MS - 10_000);
      expect(await uploaded(gateway, chatLine('k'), { idempotencyKey })).toEqual(first);
      expect(await kept(gateway)).toEqual(before);
    });

    test('after 24 hours the key can be used again', async () => {
      const idempotencyKey = 'day';
      const first = await uploaded(gateway, chatLine('day'), { idempotencyKey });
      clock.shift(DAY_MS + 1);
      const second = await uploaded(gateway, chatLine('day'), { idempotencyKey });
      expect(second.id).not.toBe(first.id);
      expect((await upload(gateway, chatLine('other'), { idempotencyKey })).status).toBe(409);
    });

    test('the same key with other bytes answers 409 idempotency_conflict, which must not be retried', async () => {
      const idempotencyKey = 'conflict';
      await uploaded(gateway, chatLine('a'), { idempotencyKey });
      const before = await kept(gateway);
      for (const text of [chatLine('b'), `${chatLine('a')}\n`, '{}\n', '']) {
        const reply = await upload(gateway, text, { idempotencyKey });
        expect(reply.headers.get('x-should-retry')).toBe('false');
        expect(await rejected(reply)).toEqual([409, 'idempotency_conflict']);
      }
      expect(await kept(gateway)).toEqual(before);
      expect((await upload(gateway, chatLine('a'), { idempotencyKey })).status).toBe(200);
    });

    test('a rejected file gets the same error again under its key, with a new error_ref', async () => {
      const idempotencyKey = 'rejected';
      const text = `${chatLine('a')}{}\n`;
      const bodies = [];
      for (let i = 0; i < 2; i++) {
        const reply = await upload(gateway, text, { idempotencyKey });
        expect(reply.status).toBe(400);
        bodies.push((await reply.json()) as { error_ref: string; error: { error_ref: string } });
      }
      const [first, second] = bodies.map(({ error_ref: _, error: { error_ref: __, ...error }, ...rest }) => ({
        ...rest,
        error,
      }));
      expect(second).toEqual(first);
      expect(first).toMatchObject({ type: 'invalid_line', error: { rows: Array(4).fill({ row: 2 }) } });
      expect(bodies[0]?.error_ref).not.toBe(bodies[1]?.error_ref);
      expect(await rejected(await upload(gateway, chatLine('a'), { idempotencyKey }))).toEqual([
        409,
        'idempotency_conflict',
      ]);
    });

    test('a malformed form leaves the key undecided, so the fixed form is accepted under the same key', async () => {
      const idempotencyKey = 'form';
      const wrong = fileForm(chatLine('form'), { purpose: 'fine-tune' });
      expect(await rejected(await upload(gateway, wrong, { idempotencyKey }))).toEqual([
        400,
        'invalid_parameter',
      ]);
      expect((await upload(gateway, chatLine('form'), { idempotencyKey })).status).toBe(200);
    });

    test('the same bytes under a new key create a new file', async () => {
      const first = await uploaded(gateway, chatLine('new'), { idempotencyKey: 'new-1' });
      const second = await uploaded(gateway, chatLine('new'), { idempotencyKey: 'new-2' });
      expect(second.id).not.toBe(first.id);
    });

    test('an Idempotency-Key is valid for one owner: the person of a personal key, or a shared key itself', async () => {
      const idempotencyKey = 'owner';
      const mine = await uploaded(gateway, chatLine('mine'), { key: ann.laptop, idempotencyKey });
      expect((await uploaded(gateway, chatLine('mine'), { key: ann.phone, idempotencyKey })).id).toBe(
        mine.id,
      );
      expect((await upload(gateway, chatLine('theirs'), { key: ann.phone, idempotencyKey })).status).toBe(
        409,
      );
      for (const key of [bob, gateway.key, await keyOf('another'), elsewhere])
        expect((await uploaded(gateway, chatLine('theirs'), { key, idempotencyKey })).id).not.toBe(mine.id);
    });

    test.each(['', ' ', '\t  '])(
      'the blank key %j answers 400 idempotency_key_invalid',
      async (idempotencyKey) => {
        const before = await kept(gateway);
        expect(await rejected(await upload(gateway, chatLine('blank'), { idempotencyKey }))).toEqual([
          400,
          'idempotency_key_invalid',
        ]);
        expect(await kept(gateway)).toEqual(before);
      },
    );

    test('a key of 255 characters is accepted, one of 256 is rejected', async () => {
      expect((await upload(gateway, chatLine('l'), { idempotencyKey: 'x'.repeat(255) })).status).toBe(200);
      expect(
        await rejected(await upload(gateway, chatLine('l'), { idempotencyKey: 'x'.repeat(256) })),
      ).toEqual([400, 'idempotency_key_invalid']);
    });

    /** An upload that has started and stalls. */
    async function halfUpload(idempotencyKey: string): Promise<Socket> {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n{"cus';
      socket.write(
        `POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\ncontent-length: 10000\r\n` +
          `idempotency-key: ${idempotencyKey}\r\ncontent-type: multipart/form-data; boundary=b\r\n\r\n${part}`,
      );
      await vi.waitFor(async () => expect(await claims(idempotencyKey)).toBe(1), PATIENCE);
      return socket;
    }
    const claims = async (key: string): Promise<number> =>
      (await gateway.query(sql`select key from idempotency_keys where key = ${key} and outcome is null`))
        .length;

    test('while the first upload is running the key answers 409 idempotency_in_flight, which may be retried soon', async () => {
      const socket = await halfUpload('in-flight');
      for (const text of [chatLine('in-flight'), chatLine('other')]) {
        const reply = await upload(gateway, text, { idempotencyKey: 'in-flight' });
        const { headers } = reply;
        expect([headers.get('x-should-retry'), headers.get('retry-after-ms')]).toEqual(['true', '1000']);
        expect(await rejected(reply)).toEqual([409, 'idempotency_in_flight']);
      }
      socket.destroy();
      await vi.waitFor(async () => expect(await claims('in-flight')).toBe(0), PATIENCE);
      expect((await upload(gateway, chatLine('in-flight'), { idempotencyKey: 'in-flight' })).status).toBe(
        200,
      );
    });

    test('the official client retries until the first upload has ended, and gets its file', async () => {
      const socket = await halfUpload('sdk');
      const file = new File([chatLine('sdk')], 'sdk.jsonl');
      const waiting = openaiClient(gateway, { maxRetries: 5 }).files.create(
        { file, purpose: 'batch' },
        { idempotencyKey: 'sdk' },
      );
      await vi.waitFor(
        () => expect(gateway.logged.some((line) => line.includes('idempotency_in_flight'))).toBe(true),
        PATIENCE,
      );
      socket.destroy();
      expect(await waiting).toMatchObject({ object: 'file', filename: 'sdk.jsonl' });
    });

    test('concurrent uploads with one key create one file, and all of them get it in the end', async () => {
      const text = chatLine('race');
      // What the interrupted uploads above left is removed after they have ended.
      await vi.waitFor(async () => expect((await kept(gateway)).pending).toBe(0), PATIENCE);
      const before = await kept(gateway);
      const replies = await Promise.all(
        Array.from({ length: 8 }, () => upload(gateway, text, { idempotencyKey: 'race' })),
      );
      expect(replies.map(({ status }) => status).every((status) => status === 200 || status === 409)).toBe(
        true,
      );
      const { id } = await uploaded(gateway, text, { idempotencyKey: 'race' });
      for (const reply of replies.filter(({ status }) => status === 200))
        expect(await reply.json()).toMatchObject({ id });
      const after = await kept(gateway);
      expect(after).toEqual({ ...before, rows: before.rows + 1, blobs: before.blobs + 1 });
    });
  });
});

/** Only the owner of a file in its space can read it. All others get the answer for a missing file. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InputOf } from '../../src/contract/administration/admin-endpoints.ts';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { engines } from '../support/engines.ts';
import { chatLine, filesConfig, getFile, kept, uploaded } from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

describe.each(engines)('access to files on %s', (engine) => {
  const clock = shiftedClock();
  let gateway: TestGateway;
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: filesConfig, clock });
    await gateway.admin('spaces.create', { name: 'elsewhere', overage: true });
    for (const space of ['acme', 'elsewhere'])
      for (const email of ['ann@example.com', 'bob@example.com'])
        await gateway.admin('members.add', { space, email, role: 'admin' });
    const made: Array<[string, Omit<InputOf<'keys.create'>, 'name'>]> = [
      ['ann-1', { space: 'acme', kind: 'personal', email: 'ann@example.com' }],
      ['ann-2', { space: 'acme', kind: 'personal', email: 'ann@example.com' }],
      ['bob', { space: 'acme', kind: 'personal', email: 'bob@example.com' }],
      ['shared-1', { space: 'acme', kind: 'shared' }],
      ['shared-2', { space: 'acme', kind: 'shared' }],
      ['ann-elsewhere', { space: 'elsewhere', kind: 'personal', email: 'ann@example.com' }],
      ['shared-elsewhere', { space: 'elsewhere', kind: 'shared' }],
    ];
    for (const [name, args] of made) keys[name] = (await gateway.admin('keys.create', { name, ...args })).key;
  });
  afterAll(() => gateway.stop());

  const sees: Record<string, readonly string[]> = {
    'ann-1': ['ann-1', 'ann-2'],
    'shared-1': ['shared-1'],
    'ann-elsewhere': ['ann-elsewhere'],
  };

  test.each(Object.keys(sees))(
    'a file of %s can be read by its owner in its space, and by no other',
    async (owner) => {
      const text = chatLine(`access-${owner}`);
      const { id } = await uploaded(gateway, text, { key: keys[owner] ?? '' });
      for (const [name, key] of Object.entries(keys)) {
        const status = sees[owner]?.includes(name) ? 200 : 404;
        for (const path of [id, `${id}/content`])
          for (const method of ['GET', 'HEAD'])
            expect((await getFile(gateway, path, key, method)).status, `${name} ${method} ${path}`).toBe(
              status,
            );
      }
    },
  );

  test('foreign files, missing files and malformed ids get the same answer', async () => {
    const { id } = await uploaded(gateway, chatLine('alike'), { key: keys['ann-1'] ?? '' });
    const asked = [
      id,
      newId('file', systemClock.now()),
      id.replace('file_', 'key_'),
      'file_',
      id.toUpperCase(),
      "x' or '1'='1",
      '../../etc/passwd',
      '\0',
      'x'.repeat(3_000),
    ];
    for (const suffix of ['', '/content']) {
      for (const name of asked) {
        const reply = await getFile(gateway, `${encodeURIComponent(name)}${suffix}`, keys.bob);
        const body = (await reply.json()) as { type: string; detail: string; error: { param: string } };
        expect([reply.status, body.type, body.error.param], name).toEqual([404, 'file_not_found', 'file_id']);
        expect(body.detail).toBe(
          `There is no file ${JSON.stringify(name.slice(0, 100))} that this key can read.`,
        );
      }
    }
  });

  test('a management key and a request without a key can read no file', async () => {
    const { id } = await uploaded(gateway, chatLine('kinds'));
    const { key } = await gateway.admin('keys.create', {
      name: 'mk',
      kind: 'management',
      space: 'acme',
    });
    expect((await getFile(gateway, id, key)).status).toBe(401);
    expect((await fetch(`${gateway.url}/v1/files/${id}`)).status).toBe(401);
  });

  test('a file and its blob are deleted after 30 days', async () => {
    const { id } = await uploaded(gateway, chatLine('expiry'));
    clock.shift(30 * DAY_MS - 60_000);
    expect((await getFile(gateway, id)).status).toBe(200);
    clock.shift(60_001);
    expect((await getFile(gateway, id)).status).toBe(404);
    await gateway.sweepFiles();
    expect(await kept(gateway)).toEqual({ rows: 0, blobs: 0, partial: 0, pending: 0 });
  });

  test('the input of an unsettled batch is kept, however old it is', async () => {
    const { id } = await uploaded(gateway, chatLine('needed'));
    await gateway.query(sql`
      insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, total, created_at,
        expires_at)
      select 'batch_1', space_id, owner, owner, id, endpoint, model, 'in_progress', 1, created_at, created_at
      from files where id = ${id}`);
    clock.shift(31 * DAY_MS);
    await gateway.sweepFiles();
    expect(await kept(gateway)).toEqual({ rows: 1, blobs: 1, partial: 0, pending: 0 });
    await gateway.query(sql`delete from batches`);
    await gateway.sweepFiles();
    expect(await kept(gateway)).toEqual({ rows: 0, blobs: 0, partial: 0, pending: 0 });
  });
});

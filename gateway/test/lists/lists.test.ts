/** Lists of one's own files, batches, jobs and references. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { sql } from '../../src/database/sql.ts';
import { newId } from '../../src/kernel/ids.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { BatchStage } from '../support/batches-stage.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { makeOwnerKeys } from '../support/key-owners.ts';
import { listedKinds, listsConfig } from '../support/lists-stage.ts';

interface Listed {
  readonly object: string;
  readonly data: Array<{ id: string }>;
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

const EMPTY = { object: 'list', data: [], first_id: null, last_id: null, has_more: false };
const idsOf = ({ data }: Listed): string[] => data.map(({ id }) => id);

describe.each(engines)('lists on %s', (engine) => {
  let gateway: TestGateway;
  let keys: Record<string, string>;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: listsConfig });
    keys = await makeOwnerKeys(gateway, 'member');
  });
  afterAll(() => gateway.stop());

  function get(path: string, name: string): Promise<Response> {
    return fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${keys[name]}` } });
  }

  async function list(path: string, name: string): Promise<Listed> {
    const reply = await get(path, name);
    const body = (await reply.json()) as Listed;
    expect(reply.status, JSON.stringify(body)).toBe(200);
    return body;
  }

  describe.each(listedKinds)('of $path', ({ name, endpoint, path, make }) => {
    const own: string[] = [];
    let foreign: string;
    beforeAll(async () => {
      for (let i = 0; i < 3; i++) own.push(await make(gateway, keys.ann ?? ''));
      foreign = await make(gateway, keys.bob ?? '');
      own.sort().reverse();
    });

    test('they have all of the owner, the newest first, in the published shape', async () => {
      const all = await list(path, 'ann');
      expect(new Shape(endpoints[endpoint].response).error(all)).toBeNull();
      const listed = idsOf(all).filter((id) => own.includes(id));
      expect(listed).toEqual(own);
      expect(idsOf(all)).toEqual(idsOf(all).toSorted().reverse());
      expect(all).toMatchObject({ object: 'list', first_id: own[0], last_id: all.data.at(-1)?.id });
      expect(all.has_more).toBe(false);
    });

    test('pages follow each other without a gap, and the last one says that it is the last', async () => {
      const whole = idsOf(await list(path, 'ann'));
      const found: string[] = [];
      for (let after = ''; ; ) {
        const page = await list(`${path}?limit=2${after}`, 'ann');
        expect(page.data.length).toBeLessThanOrEqual(2);
        found.push(...idsOf(page));
        expect(page.has_more).toBe(found.length < whole.length);
        if (!page.has_more) break;
        after = `&after=${page.last_id}`;
      }
      expect(found).toEqual(whole);
      expect(await list(`${path}?after=${whole.at(-1)}`, 'ann')).toEqual(EMPTY);
    });

    test('another key of the same person has the same list; others have none of it', async () => {
      expect(idsOf(await list(path, 'ann-2'))).toEqual(idsOf(await list(path, 'ann')));
      expect(idsOf(await list(path, 'bob'))).toContain(foreign);
      for (const other of ['bob', 'shared', 'elsewhere'])
        expect(idsOf(await list(path, other)).filter((id) => own.includes(id))).toEqual([]);
      expect(await list(path, 'elsewhere')).toEqual(EMPTY);
      expect((await get(path, 'management')).status).toBe(401);
      expect((await fetch(`${gateway.url}${path}`)).status).toBe(401);
    });

    test('a cursor that is unknown, malformed or of someone else gets the same 400', async () => {
      const prefix = foreign.slice(0, foreign.indexOf('_')) as 'file';
      const wrong = [
        foreign,
        newId(prefix, systemClock.now()),
        'x',
        '',
        foreign.toUpperCase(),
        "' or 1=1 --",
      ];
      for (const after of wrong) {
        const reply = await get(`${path}?after=${encodeURIComponent(after)}`, 'ann');
        const body = (await reply.json()) as { type: string; detail: string; error: { param: string } };
        expect([reply.status, body.type, body.error.param], after).toEqual([
          400,
          'invalid_parameter',
          'after',
        ]);
        expect(body.detail).toBe(
          `after must be the id of a ${name} of this list; ${JSON.stringify(after)} is not, or not any more. ` +
            'Start again without after.',
        );
      }
    });

    test.each([
      ['limit=0', 'limit'],
      ['limit=-1', 'limit'],
      ['limit=10001', 'limit'],
      ['limit=x', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=', 'limit'],
      ['limit=1&limit=2', 'limit'],
      ['before=x', 'before'],
      ['page=2', 'page'],
    ])('?%s is 400 and names %s', async (query, param) => {
      const reply = await get(`${path}?${query}`, 'ann');
      const body = (await reply.json()) as { type: string; detail: string; error: { param: string } };
      expect([reply.status, body.type, body.error.param]).toEqual([400, 'invalid_parameter', param]);
      expect(body.detail).toMatch(new RegExp(`^${param} (must be|is not a known parameter)`));
    });
  });

  test.each([
    ['/v1/files', 'purpose=assistants', 'purpose must be batch or batch_output.'],
    ['/v1/files', 'order=newest', 'order must be asc or desc.'],
    ['/v1/batches', 'order=asc', 'order is not a known parameter; the parameters are: after, limit.'],
    ['/v1/batches', 'limit=101', 'limit must be a whole number from 1 to 100.'],
  ])('%s?%s is 400: %s', async (path, query, detail) => {
    const reply = await get(`${path}?${query}`, 'ann');
    expect([reply.status, ((await reply.json()) as { detail: string }).detail]).toEqual([400, detail]);
  });

  test('files can be listed from the oldest on, and by their purpose', async () => {
    const [batch] = (await list('/v1/batches?limit=1', 'ann')).data;
    const { output_file_id: result } = await new BatchStage(gateway, keys.ann).settled(batch?.id ?? '');
    const newestFirst = idsOf(await list('/v1/files', 'ann'));
    expect(idsOf(await list('/v1/files?order=asc', 'ann'))).toEqual(newestFirst.toReversed());
    const [oldest, second] = newestFirst.toReversed();
    expect(idsOf(await list(`/v1/files?order=asc&after=${oldest}&limit=1`, 'ann'))).toEqual([second]);
    const results = idsOf(await list('/v1/files?purpose=batch_output', 'ann'));
    const uploads = idsOf(await list('/v1/files?purpose=batch', 'ann'));
    expect(results).toContain(result);
    expect([...results, ...uploads].sort()).toEqual(newestFirst.toSorted());
  });

  test('expired files and references are not listed, and are no cursor any more', async () => {
    for (const { path, make } of listedKinds.filter(({ name }) => name === 'file' || name === 'reference')) {
      const id = await make(gateway, keys.shared ?? '');
      expect(idsOf(await list(path, 'shared'))).toEqual([id]);
      await gateway.query(sql`update files set expires_at = now() - interval '1 second' where id = ${id}`);
      await gateway.query(
        sql`update reference_files set expires_at = now() - interval '1 second' where id = ${id}`,
      );
      expect(await list(path, 'shared')).toEqual(EMPTY);
      expect((await get(`${path}?after=${id}`, 'shared')).status).toBe(400);
    }
  });

  test('an entry of a list is the object that its own endpoint answers', async () => {
    for (const path of ['/v1/files', '/v1/batches', '/v1/jobs']) {
      const entry = (await list(`${path}?limit=1`, 'bob')).data[0];
      const alone = (await (await get(`${path}/${entry?.id}`, 'bob')).json()) as object;
      expect(Object.keys(entry ?? {})).toEqual(Object.keys(alone));
      expect(entry).toMatchObject({ id: entry?.id, object: path.slice(4, -1).replace('batche', 'batch') });
    }
    const [reference] = (await list('/v1/references', 'bob')).data;
    expect(reference).toMatchObject({
      ...{ file_id: reference?.id, reference: `svc-file://${reference?.id}`, track: 'file' },
      ...{ object: 'reference', kind: 'image', mime_type: 'image/png', bytes: expect.any(Number) },
    });
  });
});

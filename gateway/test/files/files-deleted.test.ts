/** `DELETE /v1/files/{id}`: an own file and its bytes are deleted, unless a batch still needs them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { newId } from '../../src/kernel/ids.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { BatchStage } from '../support/batches-stage.ts';
import { changeConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { chatLine, filesConfig, getFile, kept, upload, uploaded } from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { makeOwnerKeys } from '../support/key-owners.ts';

interface Refused {
  readonly type: string;
  readonly detail: string;
  readonly error: { readonly param: string | null };
}

describe.each(engines)('deleting files on %s', (engine) => {
  let gateway: TestGateway;
  let stage: BatchStage;
  let keys: Record<string, string>;
  beforeAll(async () => {
    gateway = await startGateway({
      engine,
      config: changeConfig(filesConfig, { api: { file_lists: true } }),
    });
    stage = new BatchStage(gateway);
    keys = await makeOwnerKeys(gateway, 'admin');
  });
  afterAll(() => gateway.stop());

  function remove(id: string, key = gateway.key): Promise<Response> {
    return fetch(`${gateway.url}/v1/files/${encodeURIComponent(id)}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    });
  }

  async function refused(reply: Response): Promise<[number, string, string | null]> {
    const { type, error } = (await reply.json()) as Refused;
    return [reply.status, type, error.param];
  }

  const gone = [404, 'file_not_found', 'file_id'];

  test('a deleted file is gone from every answer at once, and its blob with the next sweep', async () => {
    await gateway.sweepFiles();
    const before = await kept(gateway);
    const { id } = await uploaded(gateway, chatLine('deleted'));
    const reply = await remove(id);
    expect([reply.status, await reply.json()]).toEqual([200, { id, object: 'file', deleted: true }]);
    for (const path of [id, `${id}/content`])
      expect(await refused(await getFile(gateway, path))).toEqual(gone);
    expect(await (await stage.ask('/v1/files')).text()).not.toContain(id);
    expect(await refused(await stage.submit({ input_file_id: id }))).toEqual([
      ...[404, 'file_not_found', 'input_file_id'],
    ]);
    expect(await refused(await remove(id))).toEqual(gone);
    // A process that dies here leaves a record of the blob, which any process then deletes.
    expect(await kept(gateway)).toEqual({ ...before, blobs: before.blobs + 1, pending: before.pending + 1 });
    await gateway.sweepFiles();
    await gateway.sweepFiles();
    expect(await kept(gateway)).toEqual(before);
  });

  test('only the owner can delete a file; everyone else gets the answer for a missing one', async () => {
    const { id } = await uploaded(gateway, chatLine('owned'), { key: keys.ann ?? '' });
    for (const other of ['bob', 'shared', 'elsewhere']) {
      const [foreign, missing] = [id, newId('file', systemClock.now())];
      const details: string[] = [];
      for (const asked of [foreign, missing]) {
        const reply = await remove(asked, keys[other]);
        const { detail } = (await reply.clone().json()) as Refused;
        details.push(detail.replace(asked, 'ID'));
        expect(await refused(reply)).toEqual(gone);
      }
      expect(details[0]).toBe(details[1]);
    }
    expect((await remove(id, keys.management)).status).toBe(401);
    expect((await getFile(gateway, id, keys.ann)).status).toBe(200);
    expect((await remove(id, keys['ann-2'])).status).toBe(200);
  });

  test.each(['file_', 'x', '../../etc/passwd', '\0', "' or 1=1 --", 'x'.repeat(3_000)])(
    'the id %j is 404 like any missing file',
    async (id) => {
      expect(await refused(await remove(id))).toEqual(gone);
    },
  );

  test('the input of a batch that is not settled stays whole, and the answer names the batch', async () => {
    await gateway.sweepFiles();
    const { id } = await uploaded(gateway, chatLine('needed'));
    const batchId = newId('batch', systemClock.now());
    await gateway.query(sql`
      insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, settlement_status, total,
        created_at, expires_at)
      select ${batchId}, space_id, owner, owner, id, endpoint, model, 'completed', 'quarantined', 1, created_at, created_at
      from files where id = ${id}`);
    const before = await kept(gateway);
    const reply = await remove(id);
    const { type, detail } = (await reply.json()) as Refused;
    expect([reply.status, type]).toEqual([409, 'file_in_use']);
    expect(reply.headers.get('x-should-retry')).toBe('false');
    expect(detail).toBe(
      `The file is the input of ${batchId}, which is not settled. Delete it when settlement_status of that batch is settled.`,
    );
    await gateway.sweepFiles();
    expect(await kept(gateway)).toEqual(before);
    expect(await (await getFile(gateway, `${id}/content`)).text()).toBe(chatLine('needed'));
    await gateway.query(sql`delete from batches where id = ${batchId}`);
    expect((await remove(id)).status).toBe(200);
  });

  test('a settled batch keeps its numbers when its input and its result are deleted', async () => {
    const { id } = await stage.submitted([chatLine('settled')]);
    const settled = await stage.settled(id);
    for (const file of [settled.input_file_id, settled.output_file_id ?? ''])
      expect((await remove(file)).status).toBe(200);
    expect(await stage.get(id)).toEqual(settled);
    expect(await refused(await getFile(gateway, `${settled.output_file_id}/content`))).toEqual(gone);
  });

  test('of a deletion and a submission at once one is rejected, and an accepted batch has its input', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const { id } = await uploaded(gateway, chatLine(`raced-${i}`));
        const asked = [() => stage.submit({ input_file_id: id }), () => remove(id)];
        const [first, second] = (i % 2 === 0 ? asked : asked.toReversed()).map((ask) => ask());
        const [submitted, removed] = i % 2 === 0 ? [first, second] : [second, first];
        const batch = (await (await (submitted as Promise<Response>)).json()) as { id?: string };
        return { batch: batch.id ?? null, removed: (await (removed as Promise<Response>)).status };
      }),
    );
    for (const { batch, removed } of outcomes) {
      // A batch may be settled before the deletion begins: then both succeed.
      if (batch === null) expect(removed).toBe(200);
      else expect((await stage.settled(batch)).request_counts).toMatchObject({ total: 1, completed: 1 });
    }
  });

  test('an upload with the key of a deleted file creates nothing, and says to use a new key', async () => {
    const idempotencyKey = 'deleted';
    const text = chatLine('again');
    const { id } = await uploaded(gateway, text, { idempotencyKey });
    expect((await remove(id)).status).toBe(200);
    await gateway.sweepFiles();
    const before = await kept(gateway);
    const repeated = await upload(gateway, text, { idempotencyKey });
    expect(((await repeated.clone().json()) as Refused).detail).toMatch(
      /was deleted\. Upload it again with a new key/,
    );
    expect(await refused(repeated)).toEqual([404, 'file_not_found', 'Idempotency-Key']);
    expect(await refused(await upload(gateway, chatLine('other'), { idempotencyKey }))).toEqual([
      ...[409, 'idempotency_conflict', null],
    ]);
    expect(await kept(gateway)).toEqual(before);
    const anew = await uploaded(gateway, text, { idempotencyKey: 'anew' });
    expect(anew.id).not.toBe(id);
  });

  test('without a key, the same bytes after a deletion create a new file', async () => {
    const text = chatLine('bytes');
    const { id } = await uploaded(gateway, text);
    await remove(id);
    expect((await uploaded(gateway, text)).id).not.toBe(id);
  });
});

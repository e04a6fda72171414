/** `api.file_lists`: without it an id is the only way to a file, as the specification wants. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openaiClient } from '../support/clients.ts';
import { changeConfig } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { chatLine, filesConfig, getFile, uploaded } from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

interface Published {
  readonly paths: Record<string, Record<string, object>>;
}

interface Refused {
  readonly type: string;
  readonly detail: string;
}

describe.each(oneEngine('embedded', 'rejected requests'))('lists of files on %s', (engine) => {
  let gateway: TestGateway;
  let listing: TestGateway;
  beforeAll(async () => {
    const config = changeConfig(filesConfig, { api: { file_lists: true } });
    [gateway, listing] = await Promise.all([
      startGateway({ engine, config: filesConfig }),
      startGateway({ engine, config }),
    ]);
  });
  afterAll(() => Promise.all([gateway.stop(), listing.stop()]));

  function ask({ url, key }: TestGateway, method: string, path: string): Promise<Response> {
    return fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  }

  async function methodsIn({ url }: TestGateway, path: string): Promise<string[]> {
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as Published;
    return Object.keys(paths[path] ?? {}).sort();
  }

  test('by default, files are neither listed nor deleted, and their ids work as before', async () => {
    const { id } = await uploaded(gateway, chatLine('kept'));
    for (const [method, path, allowed] of [
      ['GET', '/v1/files', 'POST'],
      ['HEAD', '/v1/files', 'POST'],
      ['GET', '/v1/files?limit=1&after=x', 'POST'],
      ['DELETE', `/v1/files/${id}`, 'GET'],
    ] as const) {
      const reply = await ask(gateway, method, path);
      expect([reply.status, reply.headers.get('allow')], `${method} ${path}`).toEqual([405, allowed]);
      if (method === 'HEAD') continue;
      const { type, detail } = (await reply.json()) as Refused;
      expect([type, detail.includes(id)], detail).toEqual(['method_not_allowed', method === 'DELETE']);
    }
    expect((await getFile(gateway, id)).status).toBe(200);
    expect(await (await getFile(gateway, `${id}/content`)).text()).toBe(chatLine('kept'));
  });

  test('the OpenAI library gets an error that it does not retry', async () => {
    const openai = openaiClient(gateway);
    const { id } = await uploaded(gateway, chatLine('sdk'));
    for (const asked of [() => openai.files.list(), () => openai.files.delete(id)])
      await expect(asked()).rejects.toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(await openai.files.retrieve(id)).toMatchObject({ id, object: 'file' });
  });

  test('the OpenAPI document has what is served, with the setting and without', async () => {
    expect(await methodsIn(gateway, '/v1/files')).toEqual(['post']);
    expect(await methodsIn(gateway, '/v1/files/{id}')).toEqual(['get']);
    expect(await methodsIn(listing, '/v1/files')).toEqual(['get', 'post']);
    expect(await methodsIn(listing, '/v1/files/{id}')).toEqual(['delete', 'get']);
  });

  test('with api.file_lists, files are listed and deleted', async () => {
    const { id } = await uploaded(listing, chatLine('listed'));
    expect(await (await ask(listing, 'GET', '/v1/files')).json()).toMatchObject({ data: [{ id }] });
    expect(await (await ask(listing, 'DELETE', `/v1/files/${id}`)).json()).toMatchObject({ deleted: true });
  });

  test('administration lists batches and their files without the setting', async () => {
    const { id } = await uploaded(gateway, chatLine('administered'));
    const batch = await gateway.post('/v1/batches', {
      ...{ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' },
    });
    const { id: batchId } = (await batch.json()) as { id: string };
    const { data } = await gateway.admin('batches.list', { space: 'acme' });
    expect(data.map((listed) => listed.id)).toContain(batchId);
  });
});

/** The official OpenAI library, unmodified: what it retrieves, lists and deletes of its own. */
import type { OpenAI } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { openaiClient } from '../support/clients.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { listsConfig } from '../support/lists-stage.ts';
import { checkBatch, checkFile } from '../support/openai-schemas.ts';

describe.each(oneEngine('embedded', 'client libraries'))(
  'the OpenAI library and its own things on %s',
  (engine) => {
    let gateway: TestGateway;
    let openai: OpenAI;
    let stranger: OpenAI;
    beforeAll(async () => {
      gateway = await startGateway({ engine, config: listsConfig });
      openai = openaiClient(gateway);
      const { key } = await gateway.admin('keys.create', { name: 'stranger', kind: 'shared' });
      stranger = openaiClient({ url: gateway.url, key });
    });
    afterAll(() => gateway.stop());

    const line = (id: string): string => chatLine(id, 'Reply with exactly: own');

    async function all<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
      const items: Item[] = [];
      for await (const item of list) items.push(item);
      return items;
    }

    test('models.retrieve has the model of models.list, and a missing one is its NotFoundError', async () => {
      const [first] = await all(openai.models.list());
      expect(await openai.models.retrieve(first?.id ?? '')).toEqual(first);
      await expect(openai.models.retrieve('nothing')).rejects.toMatchObject({
        ...{ status: 404, code: 'model_not_found', param: 'model' },
      });
    });

    test('files.list pages through all files by itself, in both orders', async () => {
      const stage = new BatchStage(gateway);
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) ids.push(await stage.upload([line(`paged-${i}`)]));
      ids.sort();
      const listed = await all(openai.files.list({ limit: 2, purpose: 'batch' }));
      expect(listed.map(({ id }) => id)).toEqual(ids.toReversed());
      for (const file of listed) checkFile(file);
      const oldest = await openai.files.list({ limit: 2, order: 'asc' });
      expect(oldest.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      expect(oldest.hasNextPage()).toBe(true);
      expect((await oldest.getNextPage()).data.map(({ id }) => id)).toEqual(ids.slice(2, 4));
      expect(await all(stranger.files.list())).toEqual([]);
    });

    test('files.delete deletes a file, and a second time is its NotFoundError', async () => {
      const id = await new BatchStage(gateway).upload([line('deleted')]);
      await expect(stranger.files.delete(id)).rejects.toMatchObject({ status: 404, code: 'file_not_found' });
      expect(await openai.files.delete(id)).toEqual({ id, object: 'file', deleted: true });
      for (const again of [() => openai.files.delete(id), () => openai.files.retrieve(id)])
        await expect(again()).rejects.toMatchObject({ status: 404, code: 'file_not_found' });
    });

    test('batches.list pages through all batches by itself', async () => {
      const stage = new BatchStage(gateway);
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) ids.push((await stage.submitted([line(`batch-${i}`)])).id);
      const listed = await all(openai.batches.list({ limit: 2 }));
      expect(listed.map(({ id }) => id)).toEqual(ids.sort().reverse());
      for (const batch of listed) checkBatch(batch);
      expect(await all(stranger.batches.list())).toEqual([]);
    });

    test('responses.retrieve has the response of responses.create, also of a stream', async () => {
      const made = await openai.responses.create({ model: 'sim-chat', input: 'Reply with exactly: kept' });
      const found = await openai.responses.retrieve(made.id, { include: ['reasoning.encrypted_content'] });
      expect(found).toMatchObject({ id: made.id, output_text: 'kept', usage: made.usage });
      const stream = openai.responses.stream({ model: 'sim-chat', input: 'Reply with exactly: streamed' });
      const { id } = await stream.finalResponse();
      expect((await openai.responses.retrieve(id)).output_text).toBe('streamed');
    });

    test('responses.inputItems.list has what was sent', async () => {
      const { id } = await openai.responses.create({
        model: 'sim-chat',
        input: 'Reply with exactly: listed',
      });
      const [item, ...more] = await all(openai.responses.inputItems.list(id));
      expect(item).toMatchObject({
        ...{ type: 'message', role: 'user', status: 'completed' },
        content: [{ type: 'input_text', text: 'Reply with exactly: listed' }],
      });
      expect(more).toEqual([]);
    });

    test('responses.delete deletes a response, and nobody else can', async () => {
      const { id } = await openai.responses.create({ model: 'sim-chat', input: 'Hello.' });
      const missing = { status: 404, code: 'response_not_found' };
      await expect(stranger.responses.delete(id)).rejects.toMatchObject(missing);
      await openai.responses.delete(id);
      for (const again of [
        () => openai.responses.retrieve(id),
        () => openai.responses.delete(id),
        () => all(openai.responses.inputItems.list(id)),
        () => openai.responses.create({ model: 'sim-chat', input: 'Go on.', previous_response_id: id }),
      ])
        await expect(again()).rejects.toMatchObject(missing);
    });

    test('responses.compact and inputTokens.count are not offered, which is its NotFoundError', async () => {
      for (const asked of [
        () => openai.responses.compact({ model: 'sim-chat', input: 'Hello.' }),
        () => openai.responses.inputTokens.count({ model: 'sim-chat', input: 'Hello.' }),
      ])
        await expect(asked()).rejects.toMatchObject({ status: 404, code: 'not_found' });
    });

    test('a cursor of someone else is its BadRequestError, naming after', async () => {
      const [own] = await all(openai.files.list());
      await expect(stranger.files.list({ after: own?.id ?? '' })).rejects.toMatchObject({
        ...{ status: 400, code: 'invalid_parameter', param: 'after' },
      });
    });
  },
);

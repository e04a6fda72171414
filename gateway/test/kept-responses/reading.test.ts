/** Kept responses can be read, their input listed, and deleted, by their owner and nobody else. */
import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { InputItemList, ResponseObject } from '../../src/contract/responses-answer.ts';
import { sql } from '../../src/database/sql.ts';
import { callIdOf } from '../../src/text/answer-ids.ts';
import { openaiClient } from '../support/clients.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkResponse } from '../support/openai-schemas.ts';

const everything = '[vision, tools, json_mode, json_schema, streaming]';
const config = testConfig({
  providers: `  anthropic: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key }
  relayed: { dialect: openai-responses, base_url: SIMULATOR, api_key: simulator-key }`,
  models: `  claude: { capabilities: ${everything}, routes: [{ provider: anthropic, model: sim-claude }] }
  relayed: { capabilities: ${everything}, routes: [{ provider: relayed, model: sim-chat }] }`,
  prices: { relayed: { input: 2.5, output: 10 }, claude: { input: 2, output: 8 } },
});

const asked = {
  input: 'Reply with exactly: kept words',
  instructions: 'Be brief.',
  temperature: 0.5,
  max_output_tokens: 200,
  metadata: { run: '7' },
  tools: [{ type: 'function', name: 'look', description: null, parameters: null, strict: null }],
};

type Fields = Record<string, unknown>;

describe.each(engines)('kept responses read on %s', (engine) => {
  let gateway: TestGateway;
  let openai: OpenAI;
  const others: Record<string, string> = {};
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    openai = openaiClient(gateway);
    await gateway.admin('members.add', { space: 'acme', email: 'ann@example.com', role: 'admin' });
    await gateway.admin('spaces.create', { name: 'elsewhere', overage: true });
    const make = async (name: string, input: object) =>
      (await gateway.admin('keys.create', { name, kind: 'shared', space: 'acme', ...input })).key;
    others.shared = await make('other', {});
    others.personal = await make('person', { kind: 'personal', email: 'ann@example.com' });
    others.elsewhere = await make('elsewhere', { space: 'elsewhere' });
  });
  afterAll(() => gateway.stop());

  function ask(path: string, { method = 'GET', key = gateway.key } = {}): Promise<Response> {
    return fetch(`${gateway.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  }

  async function answered(body: object): Promise<Fields & { id: string }> {
    const reply = await gateway.post('/v1/responses', body);
    const response = (await reply.json()) as Fields & { id: string };
    expect(reply.status, JSON.stringify(response)).toBe(200);
    return response;
  }

  async function read(path: string): Promise<Fields> {
    const reply = await ask(path);
    const body = (await reply.json()) as Fields;
    expect(reply.status, JSON.stringify(body)).toBe(200);
    return body;
  }

  async function refusal(reply: Response): Promise<[number, string, string | null, string]> {
    const { type, detail, error } = (await reply.json()) as {
      type: string;
      detail: string;
      error: { param: string | null };
    };
    return [reply.status, type, error.param, detail];
  }

  it.each(['sim-chat', 'claude', 'relayed', 'unpriced'])(
    'a response of %s is read exactly as it was answered',
    async (model) => {
      const first = await answered({ model, ...asked });
      const stored = await read(`/v1/responses/${first.id}`);
      expect(stored).toEqual(first);
      expect(new Shape(ResponseObject).error(stored)).toBeNull();
      checkResponse(stored);
      const next = await answered({ model, input: 'Go on.', previous_response_id: first.id });
      expect(await read(`/v1/responses/${next.id}`)).toEqual(next);
    },
  );

  it.each(['sim-chat', 'claude', 'relayed'])(
    'a streamed response of %s is read as its last event showed it',
    async (model) => {
      const reply = await gateway.post('/v1/responses', { model, ...asked, stream: true });
      const last = (await reply.text()).trim().split('\n').at(-1) ?? '';
      const { response } = JSON.parse(last.slice('data: '.length)) as { response: Fields };
      expect(response.status).toBe('completed');
      expect(await read(`/v1/responses/${response.id}`)).toEqual(response);
    },
  );

  it('a response that was cut by its output cap is read as incomplete', async () => {
    const cut = await answered({
      model: 'claude',
      input: 'Say something in 300 words',
      max_output_tokens: 16,
    });
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(await read(`/v1/responses/${cut.id}`)).toEqual(cut);
  });

  it('long instructions and images come back whole', async () => {
    const instructions = `Be brief. ${'word '.repeat(60_000)}`;
    const url = `data:image/png;base64,${Buffer.alloc(90_000, 7).toString('base64')}`;
    const content = [
      { type: 'input_text', text: 'Reply with exactly: seen' },
      { type: 'input_image', image_url: url, detail: 'low' },
    ];
    const first = await answered({ model: 'sim-chat', instructions, input: [{ role: 'user', content }] });
    const { id } = first;
    const stored = await read(`/v1/responses/${id}`);
    expect(stored.instructions).toBe(instructions);
    expect(stored).toEqual(first);
    const { data } = (await read(`/v1/responses/${id}/input_items`)) as { data: Fields[] };
    expect(data).toEqual([
      { id: `in_${id.slice(5)}_0`, type: 'message', status: 'completed', role: 'user', content },
    ]);
  });

  it('a response that was kept without its head is read with what its call recorded', async () => {
    const first = await answered({ model: 'sim-chat', ...asked });
    await gateway.query(sql`update kept_responses set head = null where id = ${first.id}`);
    const stored = await read(`/v1/responses/${first.id}`);
    const { id, model, output, usage, estimated_cost, status } = first;
    expect(stored).toMatchObject({ id, model, output, usage, estimated_cost, status });
    const [call] = await gateway.query<{ seconds: number }>(sql`
      select floor(extract(epoch from started_at))::integer as seconds from calls where id = ${callIdOf(id)}`);
    expect(stored.created_at).toBe(call?.seconds);
    expect(stored).toMatchObject({ instructions: null, temperature: null, tools: [], store: true });
    expect(Object.keys(stored).sort()).toEqual(Object.keys(first).sort());
    expect(new Shape(ResponseObject).error(stored)).toBeNull();
    checkResponse(stored);
  });

  it('the input is listed in pages, the last item first, with an id and a full form for each item', async () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' };
    const result = { type: 'function_call_output', call_id: 'c1', output: 'seen' };
    const input = [{ role: 'user', content: 'Look.' }, { role: 'assistant', content: 'I do.' }, call, result];
    const { id } = await answered({ model: 'claude', tools: asked.tools, input });
    const path = `/v1/responses/${id}/input_items`;
    const all = (await read(`${path}?order=asc`)) as { data: Array<Fields & { id: string }> };
    expect(new Shape(InputItemList).error(all)).toBeNull();
    const status = 'completed';
    expect(all.data.map(({ id: _, ...item }) => item)).toEqual([
      { type: 'message', role: 'user', status, content: [{ type: 'input_text', text: 'Look.' }] },
      {
        ...{ type: 'message', role: 'assistant', status },
        content: [{ type: 'output_text', text: 'I do.', annotations: [] }],
      },
      { ...call, status },
      { ...result, status },
    ]);
    const ids = all.data.map((item) => item.id);
    expect(new Set(ids).size).toBe(4);
    const last = await read(`${path}?limit=3`);
    expect(last).toMatchObject({ object: 'list', first_id: ids[3], last_id: ids[1], has_more: true });
    expect(await read(`${path}?limit=3&after=${ids[1]}`)).toMatchObject({
      ...{ first_id: ids[0], last_id: ids[0], has_more: false },
    });
    const listed: string[] = [];
    for await (const item of openai.responses.inputItems.list(id, { limit: 1, order: 'asc' }))
      listed.push(item.id ?? '');
    expect(listed).toEqual(ids);
  });

  it('an id that stands twice in the input is a cursor only once', async () => {
    const item = { id: 'msg_own', type: 'message', role: 'user', content: 'Twice.' };
    const { id } = await answered({ model: 'claude', input: [item, item] });
    const { data } = (await read(`/v1/responses/${id}/input_items?order=asc`)) as { data: Fields[] };
    expect(data.map((one) => one.id)).toEqual(['msg_own', `in_${id.slice(5)}_1`]);
  });

  it('a deleted response is gone: it cannot be read, continued, referred to or deleted again', async () => {
    const first = await answered({ model: 'sim-chat', ...asked });
    const path = `/v1/responses/${first.id}`;
    const reply = await ask(path, { method: 'DELETE' });
    expect([reply.status, await reply.json()]).toEqual([
      ...[200, { id: first.id, object: 'response', deleted: true }],
    ]);
    for (const again of [ask(path), ask(`${path}/input_items`), ask(path, { method: 'DELETE' })])
      expect((await refusal(await again)).slice(0, 3)).toEqual([404, 'response_not_found', 'response_id']);
    const next = { model: 'sim-chat', input: 'Go on.', previous_response_id: first.id };
    const continued = await refusal(await gateway.post('/v1/responses', next));
    const unknown = { ...next, previous_response_id: `resp_${'0'.repeat(26)}` };
    expect(continued).toEqual(await refusal(await gateway.post('/v1/responses', unknown)));
    const [item] = first.output as Array<{ id: string }>;
    const input = [{ type: 'item_reference', id: item?.id }];
    expect((await gateway.post('/v1/responses', { model: 'sim-chat', input })).status).toBe(404);
  });

  it('a deletion frees the quota and the media, except what another response still uses', async () => {
    const usage = async () =>
      (
        await gateway.query(sql`select responses, bytes from kept_usage u join spaces s on s.id = u.space_id
        where s.name = 'acme'`)
      )[0];
    const media = async () =>
      Number((await gateway.query<{ n: number }>(sql`select count(*) as n from kept_media`))[0]?.n);
    const url = `data:image/png;base64,${Buffer.alloc(30_000, 9).toString('base64')}`;
    const text = { type: 'input_text', text: 'Reply with exactly: seen' };
    const content = [text, { type: 'input_image', image_url: url, detail: 'low' }];
    const input = [{ role: 'user', content }];
    const before = [await usage(), await media()];
    const [one, two] = [
      await answered({ model: 'sim-chat', input }),
      await answered({ model: 'sim-chat', input }),
    ];
    await ask(`/v1/responses/${one.id}`, { method: 'DELETE' });
    expect(await media()).toBe((before[1] as number) + 1);
    expect(JSON.stringify(await read(`/v1/responses/${two.id}/input_items`))).toContain(url);
    await ask(`/v1/responses/${two.id}`, { method: 'DELETE' });
    expect([await usage(), await media()]).toEqual(before);
    await gateway.sweepFiles();
    expect(await gateway.query(sql`select name from pending_blobs`)).toEqual([]);
  });

  it('everyone else gets the answer for a response that never was, whatever they ask', async () => {
    const { id } = await answered({ model: 'sim-chat', input: 'Reply with exactly: mine' });
    const missing = `resp_${'0'.repeat(26)}`;
    const asks = [
      (at: string, key: string) => ask(`/v1/responses/${at}`, { key }),
      (at: string, key: string) => ask(`/v1/responses/${at}/input_items`, { key }),
      (at: string, key: string) => ask(`/v1/responses/${at}`, { key, method: 'DELETE' }),
    ];
    for (const key of Object.values(others)) {
      for (const asking of asks) {
        const [status, type, param, detail] = await refusal(await asking(id, key));
        expect([status, type, param]).toEqual([404, 'response_not_found', 'response_id']);
        const never = await refusal(await asking(missing, key));
        expect(detail).toBe(never[3].replace(missing, id));
      }
    }
    expect((await ask(`/v1/responses/${id}`)).status).toBe(200);
    const { key } = await gateway.admin('keys.create', { name: 'mk', kind: 'management', space: 'acme' });
    expect((await ask(`/v1/responses/${id}`, { key })).status).toBe(401);
  });

  it('responses that were not to be kept, and expired ones, are not found', async () => {
    const unkept = await answered({ model: 'sim-chat', input: 'Hello.', store: false });
    expect((await ask(`/v1/responses/${unkept.id}`)).status).toBe(404);
    const old = await answered({ model: 'sim-chat', input: 'Hello.' });
    await gateway.query(
      sql`update kept_responses set expires_at = now() - interval '1 second' where id = ${old.id}`,
    );
    for (const method of ['GET', 'DELETE'])
      expect((await ask(`/v1/responses/${old.id}`, { method })).status).toBe(404);
    for (const id of ['resp_', 'x', unkept.id.replace('resp', 'req'), "' or 1=1 --", '\0'])
      expect((await ask(`/v1/responses/${encodeURIComponent(id)}`)).status).toBe(404);
  });

  it.each([
    ['', 'starting_after=1', 'starting_after needs stream=true, because it is the number of an event.'],
    ['', 'stream=1', 'stream must be true or false.'],
    [
      '',
      'limit=1',
      'limit is not a known parameter; the parameters are: stream, starting_after, include, include[].',
    ],
    ['/input_items', 'limit=0', 'limit must be a whole number from 1 to 100.'],
    ['/input_items', 'order=up', 'order must be asc or desc.'],
    ['/input_items', 'before=x', /^before is not a known parameter/],
    ['/input_items', 'after=msg_1', /^after must be the id of an input item of this list; "msg_1" is not/],
  ])('%s?%s is 400: %s', async (path, query, detail) => {
    const { id } = await answered({ model: 'sim-chat', input: 'Hello.' });
    const [status, type, , said] = await refusal(await ask(`/v1/responses/${id}${path}?${query}`));
    expect([status, type]).toEqual([400, 'invalid_parameter']);
    expect(said).toMatch(detail);
    expect((await ask(`/v1/responses/${id}?stream=false&include[]=reasoning.encrypted_content`)).status).toBe(
      200,
    );
  });
});

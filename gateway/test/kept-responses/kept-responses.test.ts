/** Kept responses: what a later call may refer to, and who may. */

import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InputOf } from '../../src/contract/administration/admin-endpoints.ts';
import { sql } from '../../src/database/sql.ts';
import { openaiClient } from '../support/clients.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const everything = '[vision, tools, json_mode, json_schema, streaming]';
const config = testConfig({
  providers: `  anthropic: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key }
  google: { dialect: google, base_url: SIMULATOR_ORIGIN/v1beta, api_key: simulator-key }`,
  models: `  claude: { capabilities: ${everything}, routes: [{ provider: anthropic, model: sim-claude }] }
  gemini: { capabilities: ${everything}, routes: [{ provider: google, model: sim-gemini }] }`,
});

interface Answered {
  readonly id: string;
  readonly output: Array<{ id: string; type: string }>;
  readonly previous_response_id: string | null;
  readonly store: boolean;
}

describe.each(engines)('kept responses on %s', (engine) => {
  let gateway: TestGateway;
  let openai: OpenAI;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    openai = openaiClient(gateway);
    await gateway.admin('members.add', { space: 'acme', email: 'ann@example.com', role: 'member' });
    await gateway.admin('spaces.create', { name: 'elsewhere', overage: true });
  });
  afterAll(() => gateway.stop());

  async function respond(body: object, key = gateway.key): Promise<Response> {
    return await gateway.post('/v1/responses', body, { authorization: `Bearer ${key}` });
  }

  async function answered(body: object): Promise<Answered> {
    const reply = await respond(body);
    expect(reply.status).toBe(200);
    return (await reply.json()) as Answered;
  }

  function lastSent(): string {
    return gateway.simulator.calls.at(-1)?.text ?? '';
  }

  async function keyOf(name: string, owner: Omit<InputOf<'keys.create'>, 'name'>): Promise<string> {
    const made = await gateway.admin('keys.create', { name, space: 'acme', ...owner });
    return made.key;
  }

  it.each(['sim-chat', 'claude', 'gemini'])(
    'previous_response_id brings the whole conversation to %s, turn after turn',
    async (model) => {
      const first = await answered({ model, input: 'Reply with exactly: alpha' });
      const second = await answered({
        model,
        input: 'Reply with exactly: beta',
        previous_response_id: first.id,
      });
      expect(second.previous_response_id).toBe(first.id);
      await answered({ model, input: 'Reply with exactly: gamma', previous_response_id: second.id });
      const sent = lastSent();
      for (const said of ['exactly: alpha', 'exactly: beta', 'exactly: gamma']) expect(sent).toContain(said);
      expect(sent.indexOf('exactly: alpha')).toBeLessThan(sent.indexOf('exactly: beta'));
      expect(sent).not.toContain(first.id);
      expect(sent).not.toContain(second.id);
    },
  );

  it.each(['sim-chat', 'claude'])(
    'a streamed response of %s can be continued as soon as it ends',
    async (model) => {
      const stream = openai.responses.stream({ model, input: 'Reply with exactly: streamed words' });
      const first = await stream.finalResponse();
      await answered({ model, input: 'Go on.', previous_response_id: first.id });
      expect(lastSent()).toContain('streamed words');
    },
  );

  it('a conversation goes on at a model of another provider', async () => {
    const first = await answered({ model: 'sim-chat', input: 'Reply with exactly: from one' });
    await answered({ model: 'claude', input: 'Go on.', previous_response_id: first.id });
    expect(lastSent()).toContain('from one');
  });

  it('an item_reference stands for the item it names', async () => {
    const first = await answered({ model: 'sim-chat', input: 'Reply with exactly: referred' });
    const message = first.output.find(({ type }) => type === 'message');
    await answered({
      model: 'claude',
      input: [
        { role: 'user', content: 'Hello.' },
        { type: 'item_reference', id: message?.id },
        { role: 'user', content: 'Go on.' },
      ],
    });
    expect(lastSent()).toContain('referred');
  });

  it('store: false keeps nothing, in the database either', async () => {
    const reply = await answered({ model: 'sim-chat', input: 'Reply with exactly: not kept', store: false });
    const next = await respond({ model: 'sim-chat', input: 'Go on.', previous_response_id: reply.id });
    expect(next.status).toBe(404);
    expect(await next.json()).toMatchObject({
      type: 'response_not_found',
      error: { param: 'previous_response_id' },
    });
    const rows = await gateway.query(sql`select id from kept_responses where output like '%not kept%'`);
    expect(rows).toEqual([]);
  });

  it('everyone else gets the same answer as for a response that never existed', async () => {
    const mine = await answered({ model: 'sim-chat', input: 'Reply with exactly: mine' });
    const message = mine.output.find(({ type }) => type === 'message');
    const others = [
      await keyOf('other-key', { kind: 'shared' }),
      await keyOf('person', { kind: 'personal', email: 'ann@example.com' }),
    ];
    others.push(await keyOf('other-space', { kind: 'shared', space: 'elsewhere' }));
    for (const key of others) {
      const asked = async (id: string): Promise<unknown> => {
        const reply = await respond({ model: 'sim-chat', input: 'Go on.', previous_response_id: id }, key);
        expect(reply.status).toBe(404);
        const { error_ref: _, error: __, ...body } = (await reply.json()) as Record<string, unknown>;
        return body;
      };
      expect(await asked(mine.id)).toEqual(await asked('resp_0000000000000000000000000'));
      const item = await respond(
        { model: 'sim-chat', input: [{ type: 'item_reference', id: message?.id }] },
        key,
      );
      expect(item.status).toBe(404);
    }
  });

  it('a person continues with one personal key what another of theirs began', async () => {
    const [one, two] = [
      await keyOf('laptop', { kind: 'personal', email: 'ann@example.com' }),
      await keyOf('desk', { kind: 'personal', email: 'ann@example.com' }),
    ];
    const first = (await (
      await respond({ model: 'sim-chat', input: 'Reply with exactly: hers' }, one)
    ).json()) as Answered;
    const next = await respond({ model: 'sim-chat', input: 'Go on.', previous_response_id: first.id }, two);
    expect(next.status).toBe(200);
    expect(lastSent()).toContain('hers');
  });

  it('a space that keeps nothing answers with store: false, and a later reference to the answer is 404', async () => {
    await gateway.admin('spaces.create', { name: 'forgetful', overage: true });
    await gateway.admin('spaces.keepResponses', { space: 'forgetful', keep: false });
    const key = await keyOf('forgetful', { kind: 'shared', space: 'forgetful' });
    const first = (await (await respond({ model: 'sim-chat', input: 'Hello.' }, key)).json()) as Answered;
    expect(first.store).toBe(false);
    const next = await respond({ model: 'sim-chat', input: 'Go on.', previous_response_id: first.id }, key);
    expect(next.status).toBe(404);
  });

  it('what has expired is not found', async () => {
    const first = await answered({ model: 'sim-chat', input: 'Reply with exactly: old' });
    await gateway.query(
      sql`update kept_responses set expires_at = now() - interval '1 second' where id = ${first.id}`,
    );
    const next = await respond({ model: 'sim-chat', input: 'Go on.', previous_response_id: first.id });
    expect(next.status).toBe(404);
  });
});

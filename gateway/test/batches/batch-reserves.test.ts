/** What a batch may cost is reserved at its submission, so that a monthly limit binds batches too. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { exactAnswer } from '../prices/wire-answers.ts';
import { BatchStage } from '../support/batches-stage.ts';
import { changeConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { batchLine, providerConfig } from '../support/provider-batches-stage.ts';

const CAP = 100;
const ROWS = 10;
/** Ten answers of 100 tokens at 5 units for a million, and a quarter more; prompts come on top. */
const OUTPUT_RESERVE = 0.00625;
const config = changeConfig(providerConfig(2_000), { limits: { batch_lines: 1 } });

function lines(model: string, content: string, more: Record<string, unknown> = {}): string[] {
  const body = { model, messages: [{ role: 'user', content }], max_completion_tokens: CAP, ...more };
  return Array.from({ length: ROWS }, (_, i) => batchLine(`row ${i}`, { body }));
}

interface Refusal {
  readonly type: string;
  readonly detail: string;
}

/** Space, key and a stage that uses the key. */
async function limitedKey(gateway: TestGateway, name: string, args: Record<string, string> = {}) {
  const { key } = await gateway.admin('keys.create', { name, space: 'acme', kind: 'shared', ...args });
  const own = async (): Promise<{ spent: string; reserved: string }> => {
    const reply = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
    return (await reply.json()) as { spent: string; reserved: string };
  };
  const limit = (units: string | null) =>
    gateway.admin('keys.limit', { space: 'acme', name, month_limit: units });
  return { key, stage: new BatchStage(gateway, key), own, limit };
}

describe.each(engines)('reserves of batches on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(async () => {
    // Whatever the tests did, the books agree.
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
  });

  test.each(['own-chat', 'their-chat'])(
    'of five batches at once on %s as many are taken as fit, and the limit holds',
    async (model) => {
      const { stage, own, limit } = await limitedKey(gateway, `five ${model}`);
      await limit('0.01');
      const file = await stage.upload(lines(model, 'Reply with exactly: one two three'));
      const replies = await Promise.all(
        Array.from({ length: 5 }, () => stage.submit({ input_file_id: file })),
      );
      const bodies = (await Promise.all(replies.map((reply) => reply.json()))) as Array<
        Refusal & { id: string }
      >;
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 429, 429, 429, 429]);
      const refused = replies.find(({ status }) => status === 429);
      expect(refused?.headers.get('x-should-retry')).toBe('false');
      const refusal = bodies[replies.indexOf(refused as Response)] as Refusal;
      expect(refusal.type).toBe('policy_limit_exceeded');
      expect(refusal.detail).toMatch(/may cost 0\.006\d+ units.* 0 of 0\.01 .* 0\.006\d+ are reserved/);

      const taken = bodies[replies.findIndex(({ status }) => status === 200)]?.id as string;
      const settled = await stage.settled(taken);
      expect(settled.request_counts).toEqual({ total: ROWS, completed: ROWS, failed: 0 });
      expect(await own()).toMatchObject({ spent: settled.settled_units, reserved: '0' });
      // What the batch did not need is free again.
      expect((await stage.submit({ input_file_id: file })).status).toBe(200);
    },
  );

  test('what is reserved is shown, and calls of the key count it', async () => {
    const { key, stage, own, limit } = await limitedKey(gateway, 'shown');
    const slow = lines('their-chat', '[[batch running]] Reply with exactly: a');
    const reply = await stage.submit({ input_file_id: await stage.upload(slow) });
    const { id } = (await reply.json()) as { id: string };
    const { reserved } = await own();
    expect(Number(reserved)).toBeGreaterThan(OUTPUT_RESERVE);
    expect(Number(reserved)).toBeLessThan(OUTPUT_RESERVE * 1.1);
    await limit(reserved);
    const call = await gateway.chat(
      { model: 'own-chat', messages: [{ role: 'user', content: 'hi' }] },
      { authorization: `Bearer ${key}` },
    );
    expect([call.status, ((await call.json()) as Refusal).detail]).toEqual([
      429,
      expect.stringContaining(`${reserved} units are reserved`),
    ]);
    await stage.cancel(id);
    await stage.settled(id);
    expect((await own()).reserved).toBe('0');
  });

  test('the limit of a member covers the batches of all their keys', async () => {
    await gateway.admin('members.add', { space: 'acme', email: 'ann@example.com', role: 'member' });
    const personal = { kind: 'personal', email: 'ann@example.com' };
    const [one, two] = [
      await limitedKey(gateway, 'ann 1', personal),
      await limitedKey(gateway, 'ann 2', personal),
    ];
    await gateway.admin('members.limit', { space: 'acme', email: 'ann@example.com', month_limit: '0.01' });
    const file = await one.stage.upload(lines('own-chat', '[[fault slow-first-byte]] [[delay 200]] a'));
    expect((await one.stage.submit({ input_file_id: file })).status).toBe(200);
    const refused = await two.stage.submit({ input_file_id: file });
    expect([refused.status, ((await refused.json()) as Refusal).detail]).toEqual([
      429,
      expect.stringContaining('limit of this member'),
    ]);
  });

  test('lines stop when the batch has cost what was reserved, and can be sent again', async () => {
    const { stage, own, limit } = await limitedKey(gateway, 'stops');
    // Ten times the cap, within what is believed of a provider.
    const usage = { prompt_tokens: 10, completion_tokens: 1_000, total_tokens: 1_010 };
    gateway.simulator.answers.set('much', exactAnswer({ wire: 'chat', answer: { usage } } as never));
    await limit('0.01');
    const input = lines('own-chat', '[[say much]]');
    const { id } = await stage.submitted(input);
    const { reserved } = await own();
    const batch = await stage.settled(id);
    // 0.00501 units each: with one line at a time the second is the last.
    expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 2, failed: 8 } });
    const each = parseUnits('0.00501');
    expect(batch.settled_units).toBe(printUnits(sumUnits([each, each])));
    const errors = await stage.lines(batch.error_file_id);
    expect(errors.get('row 9')?.response).toMatchObject({
      status_code: 429,
      body: { error: { code: 'policy_limit_exceeded' } },
    });
    expect(JSON.stringify(errors.get('row 9'))).toContain(`${reserved} units that were reserved`);
  });

  test('a key without a limit reserves too, and its lines do not stop', async () => {
    const { stage, own } = await limitedKey(gateway, 'free');
    const usage = { prompt_tokens: 10, completion_tokens: 1_000, total_tokens: 1_010 };
    gateway.simulator.answers.set('much', exactAnswer({ wire: 'chat', answer: { usage } } as never));
    const { id } = await stage.submitted(lines('own-chat', '[[say much]]'));
    expect((await stage.settled(id)).request_counts.completed).toBe(ROWS);
    expect((await own()).reserved).toBe('0');
  });
});

describe.each(engines)('metering.reserve_batches: false on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const metering = { reserve_batches: false };
    gateway = await startGateway({ engine, config: changeConfig(config, { metering }) });
  });
  afterAll(() => gateway.stop());

  test('pending batches do not count', async () => {
    const { stage, own, limit } = await limitedKey(gateway, 'not reserved');
    await limit('0.0001');
    const { id } = await stage.submitted(lines('own-chat', 'Reply with exactly: one'));
    expect((await own()).reserved).toBe('0');
    expect((await stage.settled(id)).request_counts.completed).toBe(ROWS);
  });
});

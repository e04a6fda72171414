/** From an `error_ref` or a request id to the reason: the limit and its numbers, or the receipt. */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newKeySecret } from '../../src/access/key-secret.ts';
import type { InputOf } from '../../src/contract/administration/admin-endpoints.ts';
import { Shape } from '../../src/contract/check-shape.ts';
import { Explanation } from '../../src/contract/explanation.ts';
import { sql } from '../../src/database/sql.ts';
import { monthOf, nextMonth, printMonthStart, systemClock } from '../../src/kernel/time.ts';
import { parseUnits, sumUnits } from '../../src/kernel/units.ts';
import { explain } from '../../src/reports/explain.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { runCli } from '../support/run-cli.ts';

const shape = new Shape(Explanation);
const hello = 'Reply with exactly: one two three';

describe.each(engines)('why on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine });
    await gateway.admin('spaces.create', { name: 'poor' });
    await gateway.admin('members.add', { space: 'acme', email: 'ann@acme.test', role: 'member' });
  });
  afterAll(() => gateway.stop());

  async function make(name: string, input: Partial<InputOf<'keys.create'>> = {}): Promise<string> {
    return (await gateway.admin('keys.create', { space: 'acme', kind: 'shared', name, ...input })).key;
  }

  function call(key: string, more: Record<string, unknown> = {}, content = hello): Promise<Response> {
    const body = { model: 'sim-chat', messages: [{ role: 'user', content }], ...more };
    return gateway.chat(body, { authorization: `Bearer ${key}` });
  }

  async function paid(key: string): Promise<{ ref: string; cost: string }> {
    const reply = await call(key);
    expect(reply.status).toBe(200);
    const { estimated_cost } = (await reply.json()) as { estimated_cost: { amount: string } };
    return { ref: refOf(reply), cost: estimated_cost.amount };
  }

  const refOf = (reply: Response): string => reply.headers.get('x-request-id') as string;

  /** A reply does not wait for its row, so the row may be written a moment later. */
  async function why(ref: string, complete = (_: Explanation): boolean => true): Promise<Explanation> {
    return await vi.waitFor(async () => {
      const explained = shape.check(await gateway.admin('why', { ref }));
      expect(complete(explained)).toBe(true);
      return explained;
    }, PATIENCE);
  }

  test('a space without units: 402, the space and the key', async () => {
    const refused = await call(await make('poor', { space: 'poor' }));
    const { error_ref, detail } = (await refused.json()) as { error_ref: string; detail: string };
    expect(error_ref).toBe(refOf(refused));
    expect(await why(error_ref)).toEqual({
      ref: error_ref,
      space: 'poor',
      key: 'poor',
      key_hint: expect.stringMatching(/^sk_…/),
      member: null,
      refusal: {
        at: expect.stringMatching(/\+09:00$/),
        endpoint: 'POST /v1/chat/completions',
        status: 402,
        type: 'insufficient_units',
        detail,
        param: null,
        facts: { limit: 'space_units' },
      },
      call: null,
    });
  });

  test.each(['key', 'member'] as const)(
    'the monthly limit of a %s: its figures at that moment, also after they changed',
    async (whose) => {
      const email = 'ann@acme.test';
      const key = await make(`limited ${whose}`, { kind: 'personal', email });
      const { cost } = await paid(key);
      const limit = (amount: string | null) =>
        whose === 'key'
          ? gateway.admin('keys.limit', { space: 'acme', name: `limited ${whose}`, month_limit: amount })
          : gateway.admin('members.limit', { space: 'acme', email, month_limit: amount });
      const cap = '0.000000000001';
      await limit(cap);
      const ref = refOf(await call(key));
      await limit(null);
      await paid(key);
      const { refusal, member } = await why(ref);
      expect(member).toBe(email);
      expect(refusal).toMatchObject({ status: 429, type: 'policy_limit_exceeded' });
      const resets_at = printMonthStart(nextMonth(monthOf(systemClock.now())));
      // A member's other keys count too.
      const spent = whose === 'key' ? cost : expect.stringMatching(/^0\.0/);
      expect(refusal?.facts).toEqual({ limit: `${whose}_month`, spent, cap, resets_at });
    },
  );

  test('an unknown model: the field at fault', async () => {
    const explained = await why(refOf(await call(gateway.key, { model: 'sim-chta' })));
    expect(explained).toMatchObject({ space: 'acme', key: 'test', call: null });
    expect(explained.refusal).toMatchObject({
      status: 404,
      type: 'model_not_found',
      param: 'model',
      facts: null,
    });
    expect(explained.refusal?.detail).toContain('Did you mean sim-chat?');
  });

  test('a disabled and an expired key: which key it was, although it was rejected', async () => {
    const [off, old] = [await make('off'), await make('old')];
    await gateway.admin('keys.disable', { space: 'acme', name: 'off' });
    await gateway.admin('keys.expire', { space: 'acme', name: 'old', expires: 'now' });
    const disabled = await why(refOf(await call(off)));
    expect(disabled).toMatchObject({ space: 'acme', key: 'off', refusal: { type: 'invalid_credentials' } });
    expect(disabled.refusal?.detail).toContain('disabled');
    const expired = await why(refOf(await call(old)));
    expect(expired).toMatchObject({ space: 'acme', key: 'old', refusal: { type: 'api_key_expired' } });
    expect(expired.refusal?.facts).toMatchObject({ expired_at: expect.stringMatching(/\+09:00$/) });
  });

  test('an unknown key: the rejection, and nothing of the key', async () => {
    const key = newKeySecret('shared');
    const explained = await why(refOf(await call(key)));
    expect(explained).toMatchObject({
      space: null,
      key: null,
      call: null,
      refusal: { status: 401, facts: null },
    });
    const rows = await gateway.query<{ row: string }>(sql`select refusals::text as row from refusals`);
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) expect(row).not.toContain(key.slice(3, 40));
  });

  test('a provider that failed: the error, and the call that was tried', async () => {
    const refused = await call(gateway.key, {}, 'Hello [[fault error-401]]');
    expect(refused.status).toBe(502);
    const explained = await why(
      refOf(refused),
      ({ call: made, refusal }) => made !== null && refusal !== null,
    );
    expect(explained.refusal).toMatchObject({ status: 502, type: 'upstream_error' });
    expect(explained.call).toMatchObject({
      outcome: 'failed',
      problem: 'upstream_error',
      route: 'simulator/sim-chat',
      attempts: 1,
      usage_source: 'none',
      cost: null,
      lines: [],
      journal_entry: null,
    });
  });

  test('a stream that broke after it began: its output and its cost', async () => {
    const streamed = await call(gateway.key, { stream: true }, 'Say ten words [[fault error-in-stream]]');
    expect(streamed.status).toBe(200);
    expect(await streamed.text()).toContain(refOf(streamed));
    const explained = await why(
      refOf(streamed),
      ({ call: made, refusal }) => made !== null && refusal !== null,
    );
    expect(explained.refusal).toMatchObject({ type: 'upstream_error' });
    expect(explained.call).toMatchObject({ outcome: 'partial', problem: 'upstream_error', streamed: true });
    expect(Number(explained.call?.cost)).toBeGreaterThan(0);
  });

  test('an answered call: its receipt adds up to the cost in the reply', async () => {
    const { ref, cost } = await paid(gateway.key);
    const { call: made, refusal, key } = await why(ref);
    expect([refusal, key]).toEqual([null, 'test']);
    expect(made).toMatchObject({
      endpoint: 'chat',
      model: 'sim-chat',
      outcome: 'completed',
      problem: null,
      usage_source: 'provider',
      price_version: 'test-1',
      cost,
      month: monthOf(systemClock.now()),
      corrections: [],
    });
    const lines = made?.lines ?? [];
    expect(lines.map(({ component }) => component)).toEqual(['input', 'output', 'reasoning']);
    expect(sumUnits(lines.map(({ amount }) => parseUnits(amount)))).toBe(parseUnits(cost));
    for (const { count, price, amount } of lines)
      expect(parseUnits(amount) * 1_000_000n).toBe(parseUnits(price) * BigInt(count));
    const [entry] = await gateway.query<{ spent: string }>(
      sql`select spent from journal where id = ${made?.journal_entry ?? 0}`,
    );
    expect(parseUnits(entry?.spent ?? '0')).toBe(parseUnits(cost));
  });

  test('a corrected call: its original charge, and each correction with its reason', async () => {
    const { ref, cost } = await paid(gateway.key);
    const correct = (amount: string, note: string) =>
      gateway.admin('ledger.correct', { call: ref, amount, note });
    await correct('2', 'wrong price');
    await correct('0', 'a gift');
    const { call: made } = await why(ref);
    expect(made?.cost).toBe(cost);
    const at = expect.stringMatching(/\+09:00$/);
    expect(made?.corrections).toEqual([
      { at, cost_before: cost, cost: '2', note: 'wrong price' },
      { at, cost_before: '2', cost: '0', note: 'a gift' },
    ]);
  });

  test('an unknown or malformed reference is answered with a sentence that helps', async () => {
    const unknown = `req_${'0'.repeat(26)}`;
    await expect(gateway.admin('why', { ref: unknown })).rejects.toThrow(
      /There is no record of req_0+\. Rejected requests are kept for a limited time \(30 days.*look in the log of the gateway\.$/,
    );
    await expect(gateway.admin('why', { ref: "'; drop table calls" })).rejects.toThrow(/ref .* is not valid/);
    await expect(gateway.admin('why', {} as never)).rejects.toThrow(
      /ref is required; it must be the id of a request/,
    );
  });

  test('a caller who can see one space learns nothing about requests of others, or without a space', async () => {
    const ids = await gateway.query<{ id: string; name: string }>(sql`select id, name from spaces`);
    const idOf = (space: string): string => ids.find(({ name }) => name === space)?.id ?? '';
    const [own, nobodys] = [refOf(await call(gateway.key)), refOf(await call(newKeySecret('shared')))];
    await why(nobodys);
    const seen = (ref: string, spaces: string[]) =>
      explain({ query: gateway.query }, ref, ({ spaceId }) => spaces.map(idOf).includes(spaceId ?? ''));
    expect(await seen(own, ['acme', 'poor'])).toMatchObject({ space: 'acme' });
    expect(await seen(own, ['poor'])).toBeNull();
    expect(await seen(nobodys, ['acme', 'poor'])).toBeNull();
  });
});

test('the command line prints it for a person', async () => {
  const gateway = await startGateway();
  try {
    const run = (...args: string[]) =>
      runCli(['why', ...args, '--data', gateway.folder, '--config', gateway.configFile]);
    const words = { model: 'sim-chat', messages: [{ role: 'user', content: hello }] };
    const paid = await gateway.chat(words);
    const call = paid.headers.get('x-request-id') as string;
    await gateway.admin('ledger.correct', { call, amount: '0', note: 'sorry' });
    await gateway.admin('keys.limit', { name: 'test', month_limit: '0.000000000001' });
    await gateway.admin('ledger.correct', { call, amount: '1', note: 'after all' });
    const refused = await gateway.chat(words);
    expect([paid.status, refused.status]).toEqual([200, 429]);
    const [receipt, reason, nothing] = await Promise.all([
      run(call),
      run(refused.headers.get('x-request-id') as string),
      run('req_unknown'),
    ]);
    for (const explained of [
      /^request +req_\w+\nspace +acme\nkey +test \(sk_….{4}\)\n\nThe call\n/,
      /\noutcome +completed\n/,
      /\n\nCost \(prices.*\)\nCOMPONENT +COUNT +PRICE +AMOUNT\ninput +\d+ +2\.5 +0\.0\d+\noutput +\d+ +10 +0\.0\d+\n/,
      /\n\nCorrected\nAT +COST_BEFORE +COST +NOTE\n.* 0 +sorry\n.* 1 +after all\n$/,
    ])
      expect(receipt.stdout).toMatch(explained);
    for (const explained of [
      /\n\nAnswered with an error\nat +2.*\nendpoint +POST \/v1\/chat\/completions\nstatus +429\n/,
      /\nlimit +key_month\nspent +1\ncap +0\.000000000001\nresets_at +\d{4}-\d\d-01T00:00:00\+09:00\n$/,
    ])
      expect(reason.stdout).toMatch(explained);
    expect(nothing).toMatchObject({ code: 1, stdout: '' });
    expect(nothing.stderr).toMatch(/^tollgate: There is no record of req_unknown\./);
  } finally {
    await gateway.stop();
  }
});

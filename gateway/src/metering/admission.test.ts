import { beforeEach, describe, expect, test } from 'vitest';
import { backgroundPrincipal, type Principal } from '../access/principal.ts';
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import { type Clock, systemClock } from '../kernel/time.ts';
import { parseUnits } from '../kernel/units.ts';
import { Admission } from './admission.ts';

const ONE = parseUnits('1');
const principal: Principal = {
  ...backgroundPrincipal({ keyId: 'key_1', spaceId: 'spc_1', spaceName: 'acme', memberId: null }),
  keyMonthLimit: ONE,
};

describe('a charge of this process', () => {
  let nowMs: number;
  let reserved: string;
  let answers: Array<{ resolve(spent: string): void; reject(error: Error): void }>;
  let admission: Admission;

  beforeEach(async () => {
    nowMs = Date.parse('2026-11-15T00:00:00+09:00');
    answers = [];
    reserved = '0';
    const clock: Clock = { ...systemClock, now: () => nowMs };
    // A database that answers when the test resolves the query.
    const query = () =>
      new Promise((resolve, reject) => {
        answers.push({
          resolve: (spent) => resolve([{ kind: 'spent', id: 'key_1', units: spent, reserved }]),
          reject,
        });
      });
    admission = new Admission({ db: { query } as unknown as Database, clock });
    await refreshed('0');
  });

  async function refreshed(spent: string): Promise<void> {
    const refreshing = admission.runOnce();
    answers.shift()?.resolve(spent);
    await refreshing;
  }

  const admit = () => () => admission.checkSpending(principal);

  test('counts immediately', () => {
    expect(admit()).not.toThrow();
    admission.spent(principal, ONE);
    expect(admit()).toThrow(/1 of 1 units are spent.*reset at 2026-12-01T00:00:00\+09:00/);
  });

  test('counts during a refresh, and only once after it', async () => {
    admission.spent(principal, parseUnits('0.6'));
    const refreshing = admission.runOnce();
    admission.spent(principal, parseUnits('0.4'));
    expect(admit()).toThrow(/1 of 1 units/);
    answers.shift()?.resolve('0.6');
    await refreshing;
    expect(admit()).toThrow(/1 of 1 units/);
    await refreshed('0.9');
    expect(admit()).not.toThrow();
  });

  test('still counts when a refresh fails', async () => {
    admission.spent(principal, parseUnits('0.6'));
    const refreshing = admission.runOnce();
    answers.shift()?.reject(new Error('away'));
    await expect(refreshing).rejects.toThrow('away');
    admission.spent(principal, parseUnits('0.4'));
    expect(admit()).toThrow(/1 of 1 units/);
    await refreshed('0.9');
    expect(admit()).not.toThrow();
  });

  test('does not count in the next month, whose own charges count from its first millisecond', async () => {
    nowMs = Date.parse('2026-11-30T23:59:59.999+09:00');
    await refreshed('0.5');
    admission.spent(principal, parseUnits('0.5'));
    expect(admit()).toThrow(/reset at 2026-12-01/);
    nowMs++;
    expect(admit()).not.toThrow();
    admission.spent(principal, ONE);
    expect(admit()).toThrow(/1 of 1 units.*reset at 2027-01-01/);
  });

  test('what is reserved counts as spent, and stays reserved in the next month', async () => {
    reserved = '0.6';
    await refreshed('0.3');
    expect(admit()).not.toThrow();
    admission.spent(principal, parseUnits('0.1'));
    expect(admit()).toThrow(/0\.4 of 1 units are spent\. 0\.6 units are reserved for batches/);
    nowMs = Date.parse('2026-12-01T00:00:00+09:00');
    expect(admit()).not.toThrow();
    admission.spent(principal, parseUnits('0.4'));
    expect(admit()).toThrow(/0\.4 of 1 units are spent\. 0\.6 units are reserved/);
  });

  test('what is held counts as spent until it is settled or released, and the error says to try again', async () => {
    const hold = admission.hold(principal, parseUnits('0.7'));
    const other = admission.hold(principal, parseUnits('0.3'));
    expect(admit()).toThrow(/0 of 1 units are spent\. 1 units are held .* again in a few seconds/);
    await refreshed('0');
    await expect((async () => admit()())()).rejects.toMatchObject({
      code: 'policy_limit_exceeded',
      headers: { 'x-should-retry': 'true' },
      retryAfterMs: 2_000,
    });
    hold.settle(parseUnits('0.2'));
    expect(admit()).not.toThrow();
    hold.settle(parseUnits('5'));
    hold.release();
    expect(admit()).not.toThrow();
    other.release();
    admission.spent(principal, parseUnits('0.8'));
    expect(admit()).toThrow(/1 of 1 units are spent\. The limit is reset/);
  });

  test('a refresh that is requested during another one starts after it', async () => {
    const [first, second] = [admission.runOnce(), admission.runOnce()];
    answers.shift()?.resolve('0');
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    answers.shift()?.resolve('7');
    await Promise.all([first, second]);
    expect(admit()).toThrow(/7 of 1 units/);
  });
});

describe('the memory when the database does not answer', () => {
  test('is used for three seconds; then calls share one query, and are rejected when it gets no answer', async () => {
    let elapsedMs = 0;
    const questions: PromiseWithResolvers<unknown[]>[] = [];
    const query = (): Promise<unknown[]> => {
      const question = Promise.withResolvers<unknown[]>();
      questions.push(question);
      return question.promise;
    };
    const clock: Clock = { ...systemClock, elapsedMs: () => elapsedMs };
    const admission = new Admission({ db: { query } as unknown as Database, clock });
    const first = admission.runOnce();
    questions.shift()?.resolve([]);
    await first;
    elapsedMs = 3_000;
    expect(admission.checkSpending(principal)).toBeNull();
    elapsedMs = 3_001;
    const asked = [admission.checkSpending(principal), admission.checkSpending(principal)];
    expect(questions.length).toBe(1);
    const away = new DatabaseUnavailable('no answer');
    questions.shift()?.reject(away);
    // The first attempt replaced the dead connections, so there is a second one.
    await expect.poll(() => questions.length).toBe(1);
    questions.shift()?.reject(away);
    const refused = { code: 'service_unavailable', retryAfterMs: 1_000 };
    for (const call of asked) await expect(call).rejects.toMatchObject(refused);
    const answered = admission.checkSpending(principal);
    questions.shift()?.resolve([{ kind: 'held', id: 'spc_1', units: '0', reserved: '0' }]);
    await expect(answered).rejects.toMatchObject({ code: 'insufficient_units' });
    expect(() => admission.checkSpending(principal)).toThrow(/no units left/);
  });

  test('a space without overage is stopped by the charges of this process, before the next refresh', async () => {
    const query = (): Promise<unknown[]> =>
      Promise.resolve([{ kind: 'held', id: 'spc_1', units: '0.3', reserved: '0.1' }]);
    const admission = new Admission({ db: { query } as unknown as Database, clock: systemClock });
    await admission.runOnce();
    admission.spent(principal, parseUnits('0.199'));
    expect(admission.checkSpending(principal)).toBeNull();
    admission.spent(principal, parseUnits('0.001'));
    expect(() => admission.checkSpending(principal)).toThrow(/no units left/);
  });

  test('a space without overage is stopped by what is held, whatever its keys may spend', async () => {
    const query = (): Promise<unknown[]> =>
      Promise.resolve([{ kind: 'held', id: 'spc_1', units: '0.2', reserved: '0' }]);
    const admission = new Admission({ db: { query } as unknown as Database, clock: systemClock });
    await admission.runOnce();
    const other = { ...principal, keyId: 'key_2', keyMonthLimit: null };
    const hold = admission.hold(other, parseUnits('0.2'));
    expect(() => admission.checkSpending(principal)).toThrow(/has 0\.2 units left, and 0\.2 are held/);
    hold.release();
    expect(admission.checkSpending(principal)).toBeNull();
  });
});

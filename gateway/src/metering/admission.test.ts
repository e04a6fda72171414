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
  let answers: Array<{ resolve(spent: string): void; reject(error: Error): void }>;
  let admission: Admission;

  beforeEach(async () => {
    nowMs = Date.parse('2026-11-15T00:00:00+09:00');
    answers = [];
    const clock: Clock = { ...systemClock, now: () => nowMs };
    // A database that answers when the test resolves the query.
    const query = () =>
      new Promise((resolve, reject) => {
        answers.push({ resolve: (spent) => resolve([{ kind: 'spent', id: 'key_1', units: spent }]), reject });
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
    questions.shift()?.resolve([{ kind: 'held', id: 'spc_1', units: '0' }]);
    await expect(answered).rejects.toMatchObject({ code: 'insufficient_units' });
    expect(() => admission.checkSpending(principal)).toThrow(/no units left/);
  });

  test('a space without overage is stopped by the charges of this process, before the next refresh', async () => {
    const query = (): Promise<unknown[]> => Promise.resolve([{ kind: 'held', id: 'spc_1', units: '0.2' }]);
    const admission = new Admission({ db: { query } as unknown as Database, clock: systemClock });
    await admission.runOnce();
    admission.spent(principal, parseUnits('0.199'));
    expect(admission.checkSpending(principal)).toBeNull();
    admission.spent(principal, parseUnits('0.001'));
    expect(() => admission.checkSpending(principal)).toThrow(/no units left/);
  });
});

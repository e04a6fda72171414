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

describe('what this process charged', () => {
  let nowMs: number;
  let answers: Array<{ resolve(spent: string): void; reject(error: Error): void }>;
  let admission: Admission;

  beforeEach(async () => {
    nowMs = Date.parse('2026-11-15T00:00:00+09:00');
    answers = [];
    const clock: Clock = { ...systemClock, now: () => nowMs };
    // A database that answers when it is told to.
    const query = () =>
      new Promise((resolve, reject) => {
        answers.push({ resolve: (spent) => resolve([{ kind: 'spent', id: 'key_1', units: spent }]), reject });
      });
    admission = new Admission({ db: { query } as unknown as Database, clock });
    await looked('0');
  });

  async function looked(spent: string): Promise<void> {
    const looking = admission.runOnce();
    answers.shift()?.resolve(spent);
    await looking;
  }

  const admit = () => () => admission.admit(principal);

  test('counts at once', () => {
    expect(admit()).not.toThrow();
    admission.spent(principal, ONE);
    expect(admit()).toThrow(/1 of 1 units are spent.*reset at 2026-12-01T00:00:00\+09:00/);
  });

  test('counts while the database is asked, and once when it has answered', async () => {
    admission.spent(principal, parseUnits('0.6'));
    const looking = admission.runOnce();
    admission.spent(principal, parseUnits('0.4'));
    expect(admit()).toThrow(/1 of 1 units/);
    answers.shift()?.resolve('0.6');
    await looking;
    expect(admit()).toThrow(/1 of 1 units/);
    await looked('0.9');
    expect(admit()).not.toThrow();
  });

  test('counts on when the database could not be asked', async () => {
    admission.spent(principal, parseUnits('0.6'));
    const looking = admission.runOnce();
    answers.shift()?.reject(new Error('away'));
    await expect(looking).rejects.toThrow('away');
    admission.spent(principal, parseUnits('0.4'));
    expect(admit()).toThrow(/1 of 1 units/);
    await looked('0.9');
    expect(admit()).not.toThrow();
  });

  test('in a month is not spent in the next, and what the next has counts from its first moment', async () => {
    nowMs = Date.parse('2026-11-30T23:59:59.999+09:00');
    await looked('0.5');
    admission.spent(principal, parseUnits('0.5'));
    expect(admit()).toThrow(/reset at 2026-12-01/);
    nowMs++;
    expect(admit()).not.toThrow();
    admission.spent(principal, ONE);
    expect(admit()).toThrow(/1 of 1 units.*reset at 2027-01-01/);
  });

  test('a look that is asked for during another one begins after it', async () => {
    const [first, second] = [admission.runOnce(), admission.runOnce()];
    answers.shift()?.resolve('0');
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    answers.shift()?.resolve('7');
    await Promise.all([first, second]);
    expect(admit()).toThrow(/7 of 1 units/);
  });
});

describe('what is known when the database goes silent', () => {
  test('is trusted for three seconds; then calls ask together, and are refused when nobody answers', async () => {
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
    expect(admission.admit(principal)).toBeNull();
    elapsedMs = 3_001;
    const asked = [admission.admit(principal), admission.admit(principal)];
    expect(questions.length).toBe(1);
    const away = new DatabaseUnavailable('no answer');
    questions.shift()?.reject(away);
    // Dead connections are gone after the first attempt, so there is a second.
    await expect.poll(() => questions.length).toBe(1);
    questions.shift()?.reject(away);
    const refused = { code: 'service_unavailable', retryAfterMs: 1_000 };
    for (const call of asked) await expect(call).rejects.toMatchObject(refused);
    const answered = admission.admit(principal);
    questions.shift()?.resolve([{ kind: 'held', id: 'spc_1', units: '0' }]);
    await expect(answered).rejects.toMatchObject({ code: 'insufficient_units' });
    expect(() => admission.admit(principal)).toThrow(/no units left/);
  });

  test('a space that may not go beyond its units is stopped by what was charged here, before the next look', async () => {
    const query = (): Promise<unknown[]> => Promise.resolve([{ kind: 'held', id: 'spc_1', units: '0.2' }]);
    const admission = new Admission({ db: { query } as unknown as Database, clock: systemClock });
    await admission.runOnce();
    admission.spent(principal, parseUnits('0.199'));
    expect(admission.admit(principal)).toBeNull();
    admission.spent(principal, parseUnits('0.001'));
    expect(() => admission.admit(principal)).toThrow(/no units left/);
  });
});

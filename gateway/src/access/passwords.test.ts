import { argon2Sync } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hashPassword, passwordFault, passwordMatches, setHashCost } from './passwords.ts';

/** Who waits for whom does not depend on how long a hash takes. */
function useLowHashCost(): void {
  setHashCost({ memory: 1_024, passes: 1, parallelism: 1 });
  onTestFinished(() => setHashCost(null));
}

describe('a password', () => {
  test('is kept as an argon2id hash in the PHC format, never the same twice', async () => {
    const [one, two] = [await hashPassword('correct horse'), await hashPassword('correct horse')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(await passwordMatches('correct horse', one)).toBe(true);
    expect(await passwordMatches('correct horsE', one)).toBe(false);
  });

  test('is checked with the parameters of its hash, so that they can be raised later', async () => {
    const nonce = Buffer.alloc(16, 7);
    const cost = { memory: 64, passes: 3, parallelism: 2, tagLength: 32 };
    const tag = argon2Sync('argon2id', { message: 'correct horse', nonce, ...cost });
    const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
    const hash = `$argon2id$v=19$m=64,t=3,p=2$${text(nonce)}$${text(tag)}`;
    expect(await passwordMatches('correct horse', hash)).toBe(true);
    expect(await passwordMatches('correct house', hash)).toBe(false);
  });

  test('matches however a keyboard encodes its letters', async () => {
    const hash = await hashPassword('비밀번호를 정하자'.normalize('NFC'));
    expect(await passwordMatches('비밀번호를 정하자'.normalize('NFD'), hash)).toBe(true);
  });

  test('never matches if none is set, not even the dummy hash', async () => {
    for (const password of ['', 'correct horse']) expect(await passwordMatches(password, null)).toBe(false);
  });

  test('is rejected if its stored hash has an unknown format or excessive parameters', async () => {
    for (const hash of [
      '',
      'plain text',
      `$argon2id$v=19$m=9999999,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
    ])
      await expect(passwordMatches('x', hash)).rejects.toThrow('unknown format');
  });

  test('has 10 to 200 characters', () => {
    expect(passwordFault('123456789')).toContain('The password has 9 characters; it must have 10 to 200.');
    expect(passwordFault('🔑'.repeat(10))).toBeNull();
    expect(passwordFault('x'.repeat(200))).toBeNull();
    expect(passwordFault('x'.repeat(201))).toContain('10 to 200');
  });

  test('is checked a few at a time, and too many waiting callers get a 429', async () => {
    useLowHashCost();
    const many = await Promise.allSettled(Array.from({ length: 60 }, () => hashPassword('correct horse')));
    const refused = many.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(8);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'rate_limit_exceeded' });
  });

  test('of someone who is known is checked before those that wait, also when no more may wait', async () => {
    useLowHashCost();
    const hash = await hashPassword('correct horse');
    const done: string[] = [];
    const check = (who: string, first: boolean) =>
      passwordMatches('correct horse', hash, { first }).then(() => done.push(who));
    const strangers = Array.from({ length: 52 }, () => check('stranger', false));
    await expect(check('one too many', false)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    await check('known', true);
    // Beside it the other slot continues with strangers.
    expect(done.length).toBeLessThan(40);
    await Promise.all(strangers);
    expect(done).toHaveLength(53);
  });
});

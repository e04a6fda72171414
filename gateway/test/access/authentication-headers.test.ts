/** How a key is found in headers, surface by surface, and when the database is asked about it. */
import { describe, expect, test } from 'vitest';
import { Authenticator } from '../../src/access/authenticate.ts';
import { newKeySecret } from '../../src/access/key-secret.ts';
import {
  type CredentialHeaders,
  checkKeySecret,
  readKeySecret,
  type Surface,
} from '../../src/access/read-credential.ts';
import { type Database, DatabaseUnavailable } from '../../src/database/database.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { systemClock } from '../../src/kernel/time.ts';

const sk = newKeySecret('shared');
const other = newKeySecret('personal');
const mk = newKeySecret('management');

/** The key that was found, or the code of the refusal. */
function outcome(headers: CredentialHeaders, surface: Surface): string {
  try {
    return readCredential(headers, surface);
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    expect((error as Problem).status).toBe(401);
    return (error as Problem).code;
  }
}

/** The key in the headers, if it can be one of the surface. */
function readCredential(headers: CredentialHeaders, surface: Surface): string {
  const text = readKeySecret(headers, surface);
  checkKeySecret(text, surface);
  return text;
}

describe('the credential of a request', () => {
  const MISSING = 'missing_credentials';
  const INVALID = 'invalid_credentials';
  const bearer = (key: string): CredentialHeaders => ({ authorization: `Bearer ${key}` });
  const table: Array<[string, CredentialHeaders, Record<Surface, string>]> = [
    ['nothing', {}, { gateway: MISSING, messages: MISSING, platform: MISSING, organization: MISSING }],
    [
      'an empty Authorization',
      { authorization: '' },
      { gateway: MISSING, messages: MISSING, platform: MISSING, organization: MISSING },
    ],
    [
      'a gateway key as bearer',
      bearer(sk),
      { gateway: sk, messages: sk, platform: INVALID, organization: INVALID },
    ],
    [
      'a management key as bearer',
      bearer(mk),
      { gateway: INVALID, messages: INVALID, platform: mk, organization: mk },
    ],
    [
      'a gateway key in x-api-key',
      { 'x-api-key': sk },
      { gateway: MISSING, messages: sk, platform: MISSING, organization: MISSING },
    ],
    [
      'a management key in x-api-key',
      { 'x-api-key': mk },
      { gateway: MISSING, messages: INVALID, platform: MISSING, organization: MISSING },
    ],
    [
      'both headers',
      { ...bearer(sk), 'x-api-key': other },
      { gateway: sk, messages: other, platform: INVALID, organization: INVALID },
    ],
    [
      'an empty x-api-key beside a bearer',
      { ...bearer(sk), 'x-api-key': '' },
      { gateway: sk, messages: sk, platform: INVALID, organization: INVALID },
    ],
    [
      'two x-api-keys, joined',
      { 'x-api-key': `${sk}, ${other}` },
      { gateway: MISSING, messages: INVALID, platform: MISSING, organization: MISSING },
    ],
    [
      'two bearers, joined',
      bearer(`${sk}, Bearer ${other}`),
      { gateway: INVALID, messages: INVALID, platform: INVALID, organization: INVALID },
    ],
    [
      'a key with a blank in front',
      { 'x-api-key': ` ${sk}` },
      { gateway: MISSING, messages: INVALID, platform: MISSING, organization: MISSING },
    ],
    [
      'a key without Bearer',
      { authorization: sk },
      { gateway: INVALID, messages: INVALID, platform: INVALID, organization: INVALID },
    ],
    [
      'a key too long by one',
      bearer(`${sk}0`),
      { gateway: INVALID, messages: INVALID, platform: INVALID, organization: INVALID },
    ],
    [
      'the prefix in capitals',
      bearer(sk.replace('sk_', 'SK_')),
      { gateway: INVALID, messages: INVALID, platform: INVALID, organization: INVALID },
    ],
    [
      'the other prefix on the same text',
      bearer(sk.replace('sk_', 'mk_')),
      { gateway: INVALID, messages: INVALID, platform: INVALID, organization: INVALID },
    ],
  ];

  test.each(table)('%s', (_, headers, expected) => {
    const found = (['gateway', 'messages', 'platform', 'organization'] as const).map((surface) => [
      surface,
      outcome(headers, surface),
    ]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  test('the detail says what to send to each API', () => {
    const detail = (surface: Surface): string => {
      try {
        return readCredential({}, surface);
      } catch (error) {
        return (error as Problem).detail;
      }
    };
    expect(detail('gateway')).toContain('Authorization: Bearer sk_…');
    expect(detail('messages')).toContain('x-api-key: sk_…');
    expect(detail('platform')).toContain('Authorization: Bearer mk_…');
    expect(detail('organization')).toContain('Authorization: Bearer mk_… (or at_…)');
  });

  test('no detail repeats what was sent', () => {
    for (const [, headers] of table) {
      for (const surface of ['gateway', 'messages', 'platform', 'organization'] as const) {
        try {
          readCredential(headers, surface);
        } catch (error) {
          const { detail } = error as Problem;
          for (const key of [sk, other, mk]) expect(detail).not.toContain(key.slice(3));
        }
      }
    }
  });
});

describe('the database', () => {
  function brokenDatabase(error: Error): { db: Database; asked: () => number } {
    let asked = 0;
    const refuse = (): Promise<never> => {
      asked++;
      return Promise.reject(error);
    };
    const db: Database = {
      engine: 'embedded',
      query: refuse,
      transaction: refuse,
      listen: refuse,
      close: async () => undefined,
    };
    return { db, asked: () => asked };
  }

  async function authenticate(db: Database, key: string): Promise<string> {
    const authenticator = new Authenticator({ db, clock: systemClock });
    try {
      return (await authenticator.authenticate({ authorization: `Bearer ${key}` }, 'gateway')).keyId;
    } catch (error) {
      return error instanceof Problem ? error.code : (error as Error).message;
    }
  }

  test('is not queried for a key with a wrong checksum', async () => {
    const { db, asked } = brokenDatabase(new Error('asked'));
    const checksums = [...'0aZ9'].map((last) => sk.slice(0, -1) + last).filter((key) => key !== sk);
    for (const key of [...checksums, sk.slice(0, -1), mk, 'sk_', `sk_${'é'.repeat(46)}`]) {
      expect(await authenticate(db, key)).toBe('invalid_credentials');
    }
    expect(asked()).toBe(0);
    expect(await authenticate(db, sk)).toBe('asked');
    expect(asked()).toBe(1);
  });

  test('that cannot be reached does not make a key unknown: the answer is 503', async () => {
    const { db } = brokenDatabase(new DatabaseUnavailable('gone'));
    expect(await authenticate(db, sk)).toBe('service_unavailable');
  });
});

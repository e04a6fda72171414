import { describe, expect, test } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import type { IssuerSettings } from './issuer-settings.ts';
import { mapGroups } from './map-groups.ts';
import { claimsNeeded, mergeClaims, readClaims } from './read-claims.ts';

const issuer = (more: Partial<IssuerSettings> = {}): IssuerSettings => ({
  ...{ name: 'corp', label: 'Corp', issuer: 'https://corp.example', clientId: 'c', clientAuth: null },
  ...{ clientSecret: new Secret('s'), scopes: ['openid'], operators: [], spaces: [], domains: null },
  ...{ claims: { email: 'email', name: 'name', groups: 'groups' }, allowUnverifiedEmail: false },
  ...more,
});
const claims = (more: Record<string, unknown> = {}) => ({
  ...{ sub: '1', email: 'kim@example.com', email_verified: true, name: 'Kim' },
  ...more,
});

describe('the claims of an issuer', () => {
  test('are read under the names that are configured', () => {
    const settings = issuer({ claims: { email: 'upn', name: 'given', groups: 'https://x.example/roles' } });
    const read = readClaims(
      claims({ upn: 'lee@example.com', given: 'Lee', 'https://x.example/roles': ['a', 'b', 7] }),
      settings,
      [],
    );
    expect(read).toEqual({
      ...{ subject: '1', email: 'lee@example.com', nickname: 'Lee' },
      groups: new Set(['a', 'b']),
    });
  });

  test('may have one group as text, or none', () => {
    expect(readClaims(claims({ groups: 'ops' }), issuer(), []).groups).toEqual(new Set(['ops']));
    expect(readClaims(claims(), issuer(), []).groups).toEqual(new Set());
  });

  test('whose groups were left out because there are too many are rejected, so that no right is lost', () => {
    const overage = claims({ _claim_names: { groups: 'src1' } });
    expect(() => readClaims(overage, issuer(), [])).toThrow('did not send your groups');
  });

  test.each([true, 'true'])('with email_verified %j are accepted', (verified) => {
    expect(readClaims(claims({ email_verified: verified }), issuer(), []).email).toBe('kim@example.com');
  });

  test.each([false, 'false', undefined, 1, 'yes'])('with email_verified %j need a setting', (verified) => {
    const unverified = claims({ email_verified: verified });
    expect(() => readClaims(unverified, issuer(), [])).toThrow('has not verified');
    expect(readClaims(unverified, issuer({ allowUnverifiedEmail: true }), []).email).toBe('kim@example.com');
  });

  test('have a name without control characters, or the first part of the address', () => {
    const name = `\u0007K\u202Eim${'x'.repeat(200)}`;
    expect(readClaims(claims({ name }), issuer(), []).nickname).toBe(`Kim${'x'.repeat(97)}`);
    expect(readClaims(claims({ name: ' ' }), issuer(), []).nickname).toBe('kim');
  });

  test('of a domain that another issuer lists are rejected, unless this one lists it too', () => {
    const other = issuer({ name: 'other', domains: ['example.com'] });
    expect(() => readClaims(claims(), issuer(), [other])).toThrow('may not sign in addresses of example.com');
    expect(() => readClaims(claims(), issuer({ domains: ['a.example'] }), [])).toThrow('may not sign in');
    const both = issuer({ domains: ['example.com'] });
    expect(readClaims(claims({ email: 'kim@EXAMPLE.com' }), both, [other]).email).toBe('kim@EXAMPLE.com');
  });

  test('are asked for again only if they are needed', () => {
    expect(claimsNeeded(issuer())).toEqual(['email', 'email_verified']);
    expect(claimsNeeded(issuer({ operators: ['ops'], allowUnverifiedEmail: true }))).toEqual([
      'email',
      'groups',
    ]);
  });

  test('call an address verified only if the source of the address does', () => {
    const idToken = { sub: '1', email: 'a@example.com', email_verified: true };
    const userInfo = { sub: '2', email: 'b@example.com' };
    expect(mergeClaims(idToken, userInfo, issuer())).toEqual({
      ...{ sub: '1', email: 'b@example.com', email_verified: undefined },
    });
    const bare = { sub: '1', email: 'a@example.com' };
    expect(mergeClaims(bare, { email_verified: true }, issuer()).email_verified).toBeUndefined();
  });
});

test('of several groups for one space the higher role counts, in any order', () => {
  const spaces = (['admin', 'member', 'admin'] as const).map((role, i) => ({
    ...{ group: `g${i}`, space: 'acme', role },
  }));
  const rights = (groups: string[]) => mapGroups(new Set(groups), issuer({ spaces, operators: ['ops'] }));
  expect(rights(['g0', 'g1'])).toEqual({ isOperator: false, spaces: new Map([['acme', 'admin']]) });
  expect(rights(['g1', 'g2'])).toEqual({ isOperator: false, spaces: new Map([['acme', 'admin']]) });
  expect(rights(['g1', 'ops'])).toEqual({ isOperator: true, spaces: new Map([['acme', 'member']]) });
});

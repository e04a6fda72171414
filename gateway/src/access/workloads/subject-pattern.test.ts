import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { covers, hasClaims, patternsOf, ruleClaims } from './subject-pattern.ts';

describe('the pattern of a subject', () => {
  test('is the subject itself, or a part of it that ends behind : or /', () => {
    expect(patternsOf('system:serviceaccount:team-a:api')).toEqual([
      'system:serviceaccount:team-a:api',
      'system:serviceaccount:team-a:*',
      'system:serviceaccount:*',
      'system:*',
    ]);
    expect(patternsOf('repo:acme/shop:ref:refs/heads/main')).toContain('repo:acme/*');
  });

  test('does not cover a neighbour whose name begins alike', () => {
    expect(patternsOf('system:serviceaccount:team-ab:api')).not.toContain('system:serviceaccount:team-a:*');
    expect(covers('repo:acme/*', 'repo:acme-evil/shop')).toBe(false);
    expect(covers('repo:acme/shop', 'repo:acme/shop2')).toBe(false);
    expect(covers('repo:acme/*', 'x-repo:acme/shop')).toBe(false);
  });

  test('covers exactly the subjects that have it among their patterns', () => {
    const part = fc.stringMatching(/^[a-b]{0,2}$/);
    const subject = fc
      .array(fc.tuple(part, fc.constantFrom(':', '/')), { maxLength: 4 })
      .map((parts) => parts.map(([text, end]) => text + end).join(''));
    fc.assert(
      fc.property(subject, part, subject, fc.boolean(), (start, rest, other, open) => {
        const text = start + rest;
        const pattern = open ? `${other}*` : other;
        if (pattern === '*' || text === '') return;
        expect(patternsOf(text).includes(pattern)).toBe(covers(pattern, text));
      }),
    );
  });
});

describe('the claims of a rule', () => {
  const token = ruleClaims({ ref: 'refs/heads/main', run: 7, fork: false, list: ['main'], deep: { a: 'b' } });

  test('are exact, or end with *, and all of them must be there', () => {
    expect(hasClaims(token, {})).toBe(true);
    expect(hasClaims(token, { ref: 'refs/heads/main', run: '7', fork: 'false' })).toBe(true);
    expect(hasClaims(token, { ref: 'refs/heads/*' })).toBe(true);
    expect(hasClaims(token, { ref: 'refs/heads/mai' })).toBe(false);
    expect(hasClaims(token, { ref: 'heads/main' })).toBe(false);
    expect(hasClaims(token, { ref: 'refs/heads/main', environment: '*' })).toBe(false);
  });

  test('are never lists, objects or what every object has', () => {
    expect(hasClaims(token, { list: '*' })).toBe(false);
    expect(hasClaims(token, { deep: '*' })).toBe(false);
    expect(hasClaims(token, { constructor: '*' })).toBe(false);
    expect(ruleClaims({ long: 'x'.repeat(301) })).toEqual({});
  });
});

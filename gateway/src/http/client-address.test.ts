import { describe, expect, test } from 'vitest';
import { clientAddress, usesHttps } from './client-address.ts';

const [trusted, untrusted] = [{ trustProxy: true }, { trustProxy: false }];

describe('the address of a client', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('%s counts as %s', (remoteAddress, counted) => {
    expect(clientAddress({ headers: {}, remoteAddress }, untrusted)).toBe(counted);
  });

  test('is what our own proxy saw, and never what the client claims', () => {
    const request = { headers: { 'x-forwarded-for': '6.6.6.6, 9.9.9.9' }, remoteAddress: '10.0.0.1' };
    expect(clientAddress(request, trusted)).toBe('9.9.9.9');
    expect(clientAddress(request, untrusted)).toBe('10.0.0.1');
    expect(clientAddress({ headers: {}, remoteAddress: '10.0.0.1' }, trusted)).toBe('10.0.0.1');
  });

  test('is never longer than an address', () => {
    const request = { headers: { 'x-forwarded-for': 'x'.repeat(9_000) }, remoteAddress: '10.0.0.1' };
    expect(clientAddress(request, trusted).length).toBe(64);
  });
});

test('browsers use https if a trusted proxy or the public URL says so', () => {
  const headers = { 'x-forwarded-proto': 'https' };
  const found = (sent: object, trust: typeof trusted, publicUrl: string | null = null) =>
    usesHttps(sent, { ...trust, publicUrl });
  expect([found(headers, trusted), found(headers, untrusted), found({}, trusted)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(found({}, untrusted, 'https://gateway.example')).toBe(true);
  expect(found({}, untrusted, 'http://gateway.example')).toBe(false);
});

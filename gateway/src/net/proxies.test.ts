import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Proxies } from './proxies.ts';

const proxies = (exceptions = ''): Proxies =>
  new Proxies({ https: 'http://user:p%40ss-W0rd-1@secure.corp:3128', http: 'plain.corp:8080', exceptions });
const shownFor = (url: string, exceptions = ''): string | null =>
  proxies(exceptions).proxyFor(new URL(url))?.shown ?? null;

test('https and http addresses have a proxy of their own', () => {
  expect(shownFor('https://api.example.com/v1')).toBe('http://secure.corp:3128');
  expect(shownFor('http://api.example.com/v1')).toBe('http://plain.corp:8080');
  expect(new Proxies({}).proxyFor(new URL('https://api.example.com'))).toBeNull();
});

test('lower-case variables take precedence, and an empty one counts as not set', () => {
  const of = (env: Record<string, string>): string | undefined =>
    Proxies.fromEnvironment(env).proxyFor(new URL('https://a.example'))?.shown;
  expect(of({ HTTPS_PROXY: 'http://upper:1', https_proxy: 'http://lower:1' })).toBe('http://lower:1');
  expect(of({ HTTPS_PROXY: 'http://upper:1', https_proxy: '' })).toBe('http://upper:1');
  expect(of({ HTTPS_PROXY: 'http://upper:1', no_proxy: 'example' })).toBeUndefined();
});

test.each([
  ['*', 'https://api.example.com', true],
  ['example.com', 'https://example.com', true],
  ['example.com', 'https://api.example.com', true],
  ['.example.com', 'https://api.example.com.', true],
  ['*.example.com', 'https://API.example.com', true],
  ['example.com', 'https://notexample.com', false],
  ['example.com:8443', 'https://example.com:8443', true],
  ['example.com:8443', 'https://example.com', false],
  ['a.com, example.com', 'https://example.com', true],
  ['a.com example.com', 'https://example.com', true],
  ['10.0.0.5', 'https://10.0.0.5', true],
  ['10.0.0.0/8', 'https://10.200.0.5', true],
  ['10.0.0.0/8', 'https://11.0.0.5', false],
  ['fd00::/8', 'https://[fd00::5]', true],
  ['fd00::5', 'https://[fd00::5]', true],
  ['[fd00::5]:8443', 'https://[fd00::5]:8443', true],
  ['10.0.0.0/99', 'https://10.0.0.5', false],
])('NO_PROXY=%s and %s: exempt is %s', (exceptions, url, exempt) => {
  expect(shownFor(url, exceptions)).toBe(exempt ? null : 'http://secure.corp:3128');
});

test.each([
  'https://localhost:1',
  'https://127.0.0.1',
  'https://127.9.9.9',
  'https://[::1]',
  'https://a.localhost',
])('a loopback address is never proxied: %s', (url) => expect(shownFor(url)).toBeNull());

test.each(['socks5://proxy:1080', 'http://', 'ftp://user:hunter2@proxy'])(
  'an address that is no HTTP proxy is rejected without being shown: %s',
  (https) => {
    expect(() => new Proxies({ https })).toThrow('HTTPS_PROXY must be an address like');
    expect(() => new Proxies({ https })).not.toThrow('hunter2');
  },
);

test('credentials are sent to the proxy, and are neither printed nor in what is shown', () => {
  const proxy = proxies().proxyFor(new URL('https://api.example.com'));
  expect(proxy?.authorization?.reveal()).toBe(`Basic ${Buffer.from('user:p@ss-W0rd-1').toString('base64')}`);
  expect(inspect(proxy, { depth: 5 }) + JSON.stringify(proxy)).not.toContain('ss-W0rd');
  expect(proxies().secrets.map((secret) => secret.reveal())).toContain('p@ss-W0rd-1');
});

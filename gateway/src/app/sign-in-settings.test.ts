import { describe, expect, test } from 'vitest';
import { readConfigFile } from '../config/config-file.ts';
import { readSignIn } from './sign-in-settings.ts';

const LOCAL = { publicUrl: null, host: '127.0.0.1' };
const issuer = (more = ''): string =>
  `{ name: corp, issuer: https://login.example.com, client_id: c, client_secret: "\${OIDC_SECRET}"${more} }`;

function read(signIn: string, server: { publicUrl: string | null; host: string } = LOCAL) {
  const text = `sign_in: ${signIn}\nproviders: {}\nmodels: {}\n`;
  return readSignIn(readConfigFile(text, { OIDC_SECRET: 'hidden-7421' }).sign_in, server);
}

describe('the section sign_in', () => {
  test('may be left out: passwords and links', () => {
    expect(readSignIn(undefined, LOCAL)).toEqual({ password: true, device: true, issuers: [] });
  });

  test('reads an issuer with its defaults, and its secret from the environment', () => {
    const { password, issuers } = read(
      `{ password: false, issuers: [${issuer(', domains: [Example.COM]')}] }`,
    );
    expect(password).toBe(false);
    expect(issuers[0]).toMatchObject({
      ...{ name: 'corp', label: 'corp', issuer: 'https://login.example.com', clientAuth: null },
      scopes: ['openid', 'email', 'profile'],
      claims: { email: 'email', name: 'name', groups: 'groups' },
      ...{ operators: [], spaces: [], domains: ['example.com'], allowUnverifiedEmail: false },
    });
    expect(issuers[0]?.clientSecret.reveal()).toBe('hidden-7421');
    expect(JSON.stringify(issuers)).not.toContain('hidden-7421');
  });

  test('always asks for the scope openid', () => {
    const { issuers } = read(`{ issuers: [${issuer(', scopes: [groups, openid]')}] }`);
    expect(issuers[0]?.scopes).toEqual(['openid', 'groups']);
  });

  test.each([
    ['{ password: false }', 'sign_in.issuers needs an issuer'],
    ['{ issuers: [{ name: corp }] }', 'sign_in.issuers[0]'],
    [`{ issuers: [${issuer(', secret: x')}] }`, 'unknown key sign_in.issuers[0].secret'],
    [
      `{ issuers: [${issuer(', name: "Corp!"').replace('name: corp, ', '')}] }`,
      'sign_in.issuers[0].name: "Corp!" is not valid. Write lower-case letters, digits and "-"',
    ],
    [`{ issuers: [${issuer(', scopes: ["a b"]')}] }`, 'sign_in.issuers[0].scopes: "a b" is not valid'],
    [`{ issuers: [${issuer(', domains: ["@example.com"]')}] }`, 'sign_in.issuers[0].domains: "@example.com"'],
    [`{ issuers: [${issuer().replace('https:', 'ftp:')}] }`, 'must be like https://login.example.com'],
    [`{ issuers: [${issuer()}, ${issuer()}] }`, 'two issuers named corp'],
    [
      `{ issuers: [${issuer().replace('https://login', 'http://login')}] }`,
      'sign_in.issuers[0].issuer is "http://login.example.com". It must begin with https://',
    ],
    [
      `{ issuers: [${issuer().replace('https://login', 'http://127.0.0.1.login')}] }`,
      'must begin with https://',
    ],
    [`{ issuers: [${issuer().replace('.com', '.com?x=1')}] }`, 'must be like https://login.example.com'],
    [
      `{ issuers: [${issuer(', spaces: [{ group: a, space: b, role: owner }]')}] }`,
      'sign_in.issuers[0].spaces[0].role',
    ],
  ])('%s is rejected, naming the field', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test('needs a public address unless the server is only for this machine', () => {
    const one = `{ issuers: [${issuer()}] }`;
    expect(() => read(one, { publicUrl: null, host: '0.0.0.0' })).toThrow('needs server.public_url');
    expect(read(one, { publicUrl: 'https://gateway.example', host: '0.0.0.0' }).issuers).toHaveLength(1);
    expect(read(one.replace('https://login.example.com', 'http://localhost:9')).issuers).toHaveLength(1);
  });
});

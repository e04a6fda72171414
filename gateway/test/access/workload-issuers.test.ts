/** How issuers of workloads are reached: with certificates and a token of a cluster, and what is wrong in their settings. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IssuerKeys } from '../../src/access/workloads/issuer-keys.ts';
import { checkWorkloadIssuers } from '../../src/app/doctor/check-workload-issuers.ts';
import type { Settings } from '../../src/app/settings.ts';
import { readWorkloadIssuers } from '../../src/app/workload-settings.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { Proxies } from '../../src/net/proxies.ts';
import { type Json, TestIssuer } from '../support/workload-issuer.ts';

const proxies = Proxies.fromEnvironment({});
const network = { clock: systemClock, proxies };
const fixture = (name: string): string => join(import.meta.dirname, '../fixtures', name);

describe('the issuer of a cluster', () => {
  let cluster: TestIssuer;
  let elsewhere: TestIssuer;
  let folder: string;
  let tokenFile: string;

  beforeAll(async () => {
    const [cert, key] = ['localhost.cert.pem', 'localhost.key.pem'].map((name) =>
      readFileSync(fixture(name), 'utf8'),
    ) as [string, string];
    [cluster, elsewhere] = await Promise.all([TestIssuer.start({ tls: { cert, key } }), TestIssuer.start()]);
    folder = mkdtempSync(join(tmpdir(), 'tollgate-issuers-'));
    tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'first-token\n');
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await Promise.all([cluster.stop(), elsewhere.stop()]);
  });

  const issuersAt = (more: object = {}) => {
    const files = { ca_file: fixture('localhost.cert.pem'), token_file: tokenFile };
    const entry = { name: 'cluster', issuer: cluster.url, audience: 'tollgate', ...files, ...more };
    return readWorkloadIssuers({ issuers: [entry] });
  };
  const check = async (more: object = {}) => {
    const settings = { workloadIssuers: issuersAt(more), proxies } as unknown as Settings;
    return (await checkWorkloadIssuers(settings, systemClock))[0];
  };

  test('is trusted by its own certificates, and gets the token of the gateway, also a new one', async () => {
    expect(await check()).toMatchObject({ status: 'ok', detail: 'its signing key is known' });
    expect(cluster.asked.at(-1)).toEqual({ path: '/jwks', authorization: 'Bearer first-token' });
    writeFileSync(tokenFile, 'second-token\n');
    expect(await check({ jwks_url: `${cluster.url}/jwks` })).toMatchObject({ status: 'ok' });
    expect(cluster.asked.at(-1)?.authorization).toBe('Bearer second-token');
  });

  test('does not get it to send the token to another host', async () => {
    cluster.metadata = { jwks_uri: `${elsewhere.url}/jwks` };
    await check();
    expect(elsewhere.asked).toEqual([{ path: '/jwks', authorization: undefined }]);
    cluster.metadata = {};
  });

  test.each<[string, () => object, RegExp]>([
    [
      'has a certificate that nobody trusts',
      () => ({ ca_file: fixture('model.example.cert.pem') }),
      /certificate|signature/,
    ],
    ['has no such file', () => ({ ca_file: '/nowhere.pem' }), /ENOENT/],
    ['has no keys at this address', () => ({ jwks_url: `${cluster.url}/none` }), /status 404/],
    [
      'calls itself something else',
      () => ({ issuer: `${cluster.url}/x`, jwks_url: undefined }),
      /status 404/,
    ],
  ])('is reported by the doctor when it %s', async (_, more, detail) => {
    const found = await check(more());
    expect([found?.check, found?.status]).toEqual(['workload issuer cluster', 'error']);
    expect(found?.detail).toMatch(detail);
    expect(found?.next).toContain('workload_identity');
  });

  test('is not believed when it names another issuer, http, no list of keys, or far too much', async () => {
    const fails = async (answer: Json | null): Promise<string> => {
      if (answer !== null) cluster.metadata = answer;
      const [issuer] = issuersAt();
      const reason = await new IssuerKeys(issuer as NonNullable<typeof issuer>, network).check().then(
        () => 'accepted',
        (error: Error) => `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`,
      );
      cluster.metadata = {};
      return reason;
    };
    expect(await fails({ issuer: 'https://other.invalid' })).toContain('is of the issuer');
    expect(await fails({ jwks_uri: 7 })).toContain('has no jwks_uri');
    expect(await fails({ jwks_uri: 'http://example.com/jwks' })).toContain('not an https endpoint');
    cluster.answer = (_, response) => response.end('{"keys": 7}');
    expect(await fails(null)).toMatch(/is of the issuer|list/);
    cluster.answer = (_, response) => response.end(Buffer.alloc(2 * 1024 * 1024, ' '));
    expect(await fails(null)).toContain('over');
    cluster.answer = null;
  });
});

describe('the settings of issuers', () => {
  const entry = { name: 'ci', issuer: 'https://ci.example.com', audience: 'tollgate' };
  const faults = (...issuers: object[]): string => {
    try {
      readWorkloadIssuers({ issuers: issuers as never });
      return 'valid';
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('have defaults, and never an algorithm with a shared secret', () => {
    expect(readWorkloadIssuers(undefined)).toEqual([]);
    expect(readWorkloadIssuers({ issuers: [entry] })[0]).toMatchObject({
      ...{ algorithms: ['RS256', 'ES256'], leewaySeconds: 30, jwksUrl: null, caFile: null, tokenFile: null },
    });
  });

  test('need https, except on this machine, and a name of their own', () => {
    expect(faults({ ...entry, issuer: 'http://127.0.0.1:9' })).toBe('valid');
    expect(faults({ ...entry, issuer: 'http://ci.example.com' })).toContain('https://');
    expect(faults({ ...entry, jwks_url: 'http://ci.example.com/jwks' })).toContain('https://');
    const secret = faults({ ...entry, issuer: 'https://user:hidden-7421@ci.example.com' });
    expect([secret.includes('without a user'), secret.includes('hidden-7421')]).toEqual([true, false]);
    expect(faults({ ...entry, name: 'My CI' })).toContain('lower-case letters');
    expect(faults(entry, { ...entry, issuer: 'https://x.example' })).toContain('two issuers named ci');
    // Clusters that call themselves the same.
    expect(faults(entry, { ...entry, name: 'ci-2' })).toBe('valid');
  });
});

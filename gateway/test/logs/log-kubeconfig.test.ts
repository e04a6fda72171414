/** How the gateway signs in to a cluster: kubeconfigs of EKS, GKE and AKS, tokens that expire, proxies. */
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type KubernetesStandIn, startKubernetes } from '../../simulator/kubernetes/kubernetes.ts';
import { HOUR_MS } from '../../src/kernel/durations.ts';
import { isoOf } from '../../src/kernel/time.ts';
import type { Cluster } from '../../src/logs/kubernetes/cluster.ts';
import { readKubeconfig } from '../../src/logs/kubernetes/kubeconfig.ts';
import { KubernetesStore } from '../../src/logs/kubernetes/kubernetes-store.ts';
import { ownCluster } from '../../src/logs/kubernetes/service-account.ts';
import type { LogLine, LogSource } from '../../src/logs/source.ts';
import { KubeconfigFolder } from '../support/kubeconfig-folder.ts';
import { PassingClock } from '../support/passing-clock.ts';
import { startConnectProxy, startSocksProxy } from '../support/tunnel-proxies.ts';

const EXEC_V1 = 'client.authentication.k8s.io/v1';
const EXEC_V1BETA1 = 'client.authentication.k8s.io/v1beta1';
/** Longer than the shortest time between two runs of a plugin. */
const LATER_MS = 6_000;

let kubernetes: KubernetesStandIn;
let folder: KubeconfigFolder;
let clock: PassingClock;
let stop: AbortController;
let stores: KubernetesStore[];

beforeEach(async () => {
  kubernetes = await startKubernetes({ token: 'token-1' });
  kubernetes.cluster.addPod({ name: 'web-1', project: 'shop' });
  folder = new KubeconfigFolder();
  clock = new PassingClock();
  stop = new AbortController();
  stores = [];
});
afterEach(async () => {
  stop.abort();
  for (const store of stores) await store.close();
  await kubernetes.stop();
  folder.remove();
});

const signIn = (user: object, cluster: object = {}): Cluster =>
  folder.read({ cluster: { server: kubernetes.url, ...cluster }, user }, clock);

function storeOf(cluster: Cluster): KubernetesStore {
  const store = new KubernetesStore({ cluster, namespace: null, clock });
  stores.push(store);
  return store;
}

async function sources(store: KubernetesStore): Promise<readonly LogSource[]> {
  for await (const found of store.discover('shop', stop.signal)) return found;
  return [];
}

const podNames = async (store: KubernetesStore): Promise<string[]> =>
  (await sources(store)).map(({ pod }) => pod);

describe('a credential plugin', () => {
  const exec = { apiVersion: EXEC_V1, command: './plugin', interactiveMode: 'Never' };
  beforeEach(() => folder.plugin('plugin'));

  test.each([
    [
      'EKS',
      {
        apiVersion: EXEC_V1BETA1,
        command: 'aws',
        args: ['--region', 'eu-west-1', 'eks', 'get-token', '--cluster-name', 'shop', '--output', 'json'],
        env: [{ name: 'AWS_PROFILE', value: 'prod' }],
      },
    ],
    [
      'GKE',
      {
        apiVersion: EXEC_V1BETA1,
        command: 'gke-gcloud-auth-plugin',
        installHint: 'Install gke-gcloud-auth-plugin.',
        args: [],
        provideClusterInfo: true,
      },
    ],
    [
      'AKS',
      {
        apiVersion: EXEC_V1BETA1,
        command: 'kubelogin',
        args: ['get-token', '--login', 'workloadidentity', '--server-id', '6dae42f8'],
        env: null,
        provideClusterInfo: false,
      },
    ],
  ])('as %s configures it signs the gateway in', async (_, entry) => {
    folder.plugin(entry.command);
    folder.issue({ token: 'token-1', expirationTimestamp: isoOf(clock.now() + HOUR_MS) });
    expect(await podNames(storeOf(signIn({ exec: entry })))).toEqual(['web-1']);
    expect(folder.runs).toEqual([entry.args.join(' ')]);
    expect(folder.info).toMatchObject({ kind: 'ExecCredential', apiVersion: EXEC_V1BETA1 });
  });

  test('gets the cluster if it asks, and is informed that nobody can answer questions', async () => {
    folder.issue({ token: 'token-1' });
    const config = { audience: 'shop' };
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: config }];
    await podNames(storeOf(signIn({ exec: { ...exec, provideClusterInfo: true } }, { extensions })));
    expect(folder.info).toEqual({
      kind: 'ExecCredential',
      apiVersion: EXEC_V1,
      spec: { interactive: false, cluster: { server: kubernetes.url, config } },
    });
  });

  test('is run once for all requests until its token expires, and then once more', async () => {
    folder.issue({ token: 'token-1', expirationTimestamp: isoOf(clock.now() + HOUR_MS) });
    const store = storeOf(signIn({ exec }));
    await Promise.all([podNames(store), podNames(store), podNames(store)]);
    clock.pass(HOUR_MS / 2);
    expect(await podNames(store)).toEqual(['web-1']);
    expect(folder.runs).toHaveLength(1);
    kubernetes.acceptToken('token-2');
    folder.issue({ token: 'token-2', expirationTimestamp: isoOf(clock.now() + HOUR_MS) });
    clock.pass(HOUR_MS / 2);
    expect(await podNames(store)).toEqual(['web-1']);
    expect(folder.runs).toHaveLength(2);
  });

  test('is run again after a 401, and the request that got it succeeds', async () => {
    folder.issue({ token: 'token-1' });
    const store = storeOf(signIn({ exec }));
    await podNames(store);
    kubernetes.acceptToken('token-2');
    folder.issue({ token: 'token-2' });
    clock.pass(LATER_MS);
    expect(await podNames(store)).toEqual(['web-1']);
    expect(folder.runs).toHaveLength(2);
  });

  test('whose tokens are rejected, or that fails, is not run for every request', async () => {
    folder.issue({ token: 'wrong' });
    const store = storeOf(signIn({ exec }));
    for (let n = 0; n < 5; n++) await expect(podNames(store)).rejects.toThrow('401');
    expect(folder.runs).toHaveLength(1);
    const failing = storeOf(
      signIn({
        exec: { ...exec, command: 'sh', args: ['-c', 'echo run >> $0/failed; exit 3', folder.path] },
      }),
    );
    for (let n = 0; n < 5; n++) await expect(podNames(failing)).rejects.toThrow('exit code 3');
    expect(readFileSync(`${folder.path}/failed`, 'utf8')).toBe('run\n');
  });

  test('whose token expires while a log is followed loses and repeats no line', async () => {
    folder.issue({ token: 'token-1', expirationTimestamp: isoOf(clock.now() + HOUR_MS) });
    const store = storeOf(signIn({ exec }));
    const [source] = await sources(store);
    const pod = kubernetes.cluster.pods.get('default/web-1');
    const write = (text: string): void =>
      pod?.write({ time: `${isoOf(clock.now()).slice(0, -1)}000000Z`, stream: 'stdout', tag: 'F', text });
    const batches = store
      .read(source as LogSource, { from: { kind: 'start' }, follow: true }, stop.signal)
      [Symbol.asyncIterator]();
    const seen: string[] = [];
    const take = async (count: number): Promise<string[]> => {
      while (seen.length < count) {
        const { value } = (await batches.next()) as { value: { lines: LogLine[]; gap: string | null } };
        expect(value.gap).toBeNull();
        seen.push(...value.lines.map(({ text }) => text));
      }
      return seen;
    };
    for (let n = 1; n <= 3; n++) {
      write(`line ${n}`);
      await take(n);
      kubernetes.acceptToken(`token-${n + 1}`);
      folder.issue({ token: `token-${n + 1}`, expirationTimestamp: isoOf(clock.now() + 2 * HOUR_MS) });
      clock.pass(HOUR_MS);
      clock.pass(HOUR_MS);
      kubernetes.cut(() => 'reset');
    }
    write('the end');
    expect(await take(4)).toEqual(['line 1', 'line 2', 'line 3', 'the end']);
  });

  test.each([
    [{ ...exec, command: './missing', installHint: 'Get it from example.com.' }, 'Get it from example.com.'],
    [{ ...exec, command: 'sh', args: ['-c', 'echo no session >&2; exit 1'] }, 'exit code 1: no session'],
    [{ ...exec, command: 'echo', args: ['secret'] }, 'The plugin did not print JSON.'],
    [{ ...exec, command: 'echo', args: ['{}'] }, 'The plugin did not print an ExecCredential.'],
  ])('%j fails with a reason that names the user', async (entry, reason) => {
    const reading = podNames(storeOf(signIn({ exec: entry })));
    await expect(reading).rejects.toThrow(reason);
    await expect(reading).rejects.toThrow(`The user u of ${folder.path}/config`);
    await expect(reading).rejects.not.toThrow('secret');
  });

  test.each([
    [
      { ...exec, apiVersion: 'client.authentication.k8s.io/v1alpha1' },
      'exec.apiVersion is "client.authentication.k8s.io/v1alpha1".',
    ],
    [
      { ...exec, interactiveMode: 'Always' },
      'exec.interactiveMode is Always, but the gateway has no terminal.',
    ],
    [{ apiVersion: EXEC_V1 }, 'exec.command is missing.'],
  ])('%j is rejected when the kubeconfig is read', (entry, reason) => {
    expect(() => signIn({ exec: entry })).toThrow(reason);
  });

  test('that hangs is stopped with the gateway', async () => {
    const store = storeOf(signIn({ exec: { ...exec, command: 'sleep', args: ['600'] } }));
    const reading = podNames(store);
    stop.abort();
    expect(await reading).toEqual([]);
  });
});

describe('an auth-provider entry', () => {
  test.each([
    ['gcp', 'Install gke-gcloud-auth-plugin'],
    ['azure', 'kubelogin convert-kubeconfig'],
    ['other', 'Use oidc, or a plugin (exec).'],
  ])(
    '%s, which kubectl does not support either, is rejected and the error says what to do',
    (name, advice) => {
      expect(() => storeOf(signIn({ 'auth-provider': { name } }))).toThrow(advice);
    },
  );

  test('of OpenID Connect exchanges its refresh token for a new id token', async () => {
    const idToken = (name: string, seconds: number): string =>
      `${name}.${Buffer.from(JSON.stringify({ exp: clock.now() / 1000 + seconds })).toString('base64url')}.x`;
    const asked: string[] = [];
    const issuer = createHttpServer((request, response) => {
      const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
      if (request.method === 'GET') {
        response.end(JSON.stringify({ token_endpoint: `${url}/token` }));
        return;
      }
      request.setEncoding('utf8').on('data', (form: string) => {
        asked.push(`${request.headers.authorization} ${form}`);
        const token = idToken('new', 3_600);
        kubernetes.acceptToken(token);
        response.end(JSON.stringify({ id_token: token, refresh_token: 'refresh-2' }));
      });
    });
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    const config = {
      'idp-issuer-url': `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`,
      'client-id': 'tollgate',
      'client-secret': 'hidden',
      'id-token': idToken('old', -5),
      'refresh-token': 'refresh-1',
    };
    const store = storeOf(signIn({ 'auth-provider': { name: 'oidc', config } }));
    expect(await podNames(store)).toEqual(['web-1']);
    clock.pass(HOUR_MS);
    expect(await podNames(store)).toEqual(['web-1']);
    const login = `Basic ${btoa('tollgate:hidden')}`;
    expect(asked).toEqual([
      `${login} grant_type=refresh_token&refresh_token=refresh-1&client_id=tollgate`,
      `${login} grant_type=refresh_token&refresh_token=refresh-2&client_id=tollgate`,
    ]);
    issuer.closeAllConnections();
    await new Promise<void>((resolve) => issuer.close(() => resolve()));
  });
});

describe('a token in a file', () => {
  test('is read again for each request, because it is replaced', async () => {
    folder.write('token', 'token-1\n');
    const store = storeOf(signIn({ token: 'old', tokenFile: 'token' }));
    expect(await podNames(store)).toEqual(['web-1']);
    kubernetes.acceptToken('token-2');
    folder.write('token', 'token-2\n');
    expect(await podNames(store)).toEqual(['web-1']);
  });
});

describe('over TLS', () => {
  const fixture = (name: string): string =>
    readFileSync(fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)), 'utf8');
  const cert = fixture('localhost.cert.pem');
  const key = fixture('localhost.key.pem');
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  let secure: Server;
  let seen: string[];
  let port: number;
  beforeEach(async () => {
    seen = [];
    secure = createServer(
      { cert, key, ca: cert, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        const client = (request.socket as unknown as { authorized: boolean }).authorized
          ? 'certificate'
          : 'nobody';
        seen.push(
          `${client} ${request.headers.authorization} ${request.headers['impersonate-user']} ${request.url}`,
        );
        response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: [] }));
      },
    );
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    port = (secure.address() as AddressInfo).port;
  });
  afterEach(async () => {
    secure.closeAllConnections();
    await new Promise<void>((resolve) => secure.close(() => resolve()));
  });

  const LIST = '/api/v1/pods?labelSelector=tollgate.dev%2Fproject%3Dshop&limit=500';
  const trusted = { 'certificate-authority-data': base64(cert), 'tls-server-name': 'localhost' };
  const certificate = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) };
  const list = async (user: object, cluster: object): Promise<string | undefined> => {
    const store = storeOf(signIn(user, { server: `https://127.0.0.1:${port}`, ...cluster }));
    await sources(store);
    return seen[0];
  };

  test('a client certificate may stand in the kubeconfig, with a token and another user to act as', async () => {
    expect(await list({ ...certificate, token: 'abc', as: 'viewer' }, trusted)).toBe(
      `certificate Bearer abc viewer ${LIST}`,
    );
  });

  test('certificates may be files beside the kubeconfig', async () => {
    folder.write('cert.pem', cert);
    folder.write('key.pem', key);
    const user = { 'client-certificate': 'cert.pem', 'client-key': 'key.pem' };
    const cluster = { 'certificate-authority': 'cert.pem', 'tls-server-name': 'localhost' };
    expect(await list(user, cluster)).toBe(`certificate undefined undefined ${LIST}`);
  });

  test('a plugin may issue a client certificate, and one that does not fit its key is reported', async () => {
    folder.plugin('plugin');
    folder.issue({ clientCertificateData: cert, clientKeyData: key });
    const exec = { apiVersion: EXEC_V1, command: './plugin' };
    expect(await list({ exec }, trusted)).toBe(`certificate undefined undefined ${LIST}`);
    folder.issue({ clientCertificateData: cert, clientKeyData: 'nonsense' });
    await expect(list({ exec }, trusted)).rejects.toThrow('certificates for the cluster cannot be used');
  });

  test('a server certificate of somebody else is rejected unless insecure-skip-tls-verify is set', async () => {
    await expect(list({ token: 'abc' }, {})).rejects.toThrow('certificate');
    expect(seen).toEqual([]);
    expect(await list({ token: 'abc' }, { 'insecure-skip-tls-verify': true })).toBe(
      `nobody Bearer abc undefined ${LIST}`,
    );
  });

  test('the service account of a pod is used with the token that the file holds at the time', async () => {
    folder.write('ca.crt', cert);
    folder.write('token', 'pod-token-1');
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) };
    const cluster = ownCluster(env, folder.path);
    const store = storeOf({ ...cluster, tls: { ...cluster.tls, serverName: 'localhost' } });
    await sources(store);
    folder.write('token', 'pod-token-2');
    await sources(store);
    const lists = seen.filter((text) => text.endsWith(LIST));
    expect(lists).toEqual(
      ['pod-token-1', 'pod-token-2'].map((token) => `nobody Bearer ${token} undefined ${LIST}`),
    );
    expect(() => ownCluster({}, folder.path)).toThrow('This process does not run in a pod');
  });

  test.each([
    ['http', startConnectProxy],
    ['socks5', startSocksProxy],
  ])('and without it, a proxy-url of %s is used for every connection', async (scheme, start) => {
    const proxy = await start();
    const proxyUrl = { 'proxy-url': `${scheme}://me:p%40ss@127.0.0.1:${proxy.port}` };
    expect(await list({ token: 'abc' }, { ...trusted, ...proxyUrl })).toBe(
      `nobody Bearer abc undefined ${LIST}`,
    );
    expect(await podNames(storeOf(signIn({ token: 'token-1' }, proxyUrl)))).toEqual(['web-1']);
    expect(new Set(proxy.connections)).toEqual(
      new Set([`127.0.0.1:${port} me:p@ss`, `${kubernetes.url.slice(7)} me:p@ss`]),
    );
    await proxy.stop();
  });

  test('a proxy that refuses is named as the reason', async () => {
    const refusing = createHttpServer().on('connect', (_, socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'));
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const proxyUrl = { 'proxy-url': `http://127.0.0.1:${(refusing.address() as AddressInfo).port}` };
    await expect(list({ token: 'abc' }, { ...trusted, ...proxyUrl })).rejects.toThrow(
      /the proxy http:\/\/127\.0\.0\.1:\d+ refused the tunnel with status 407/,
    );
    await new Promise<void>((resolve) => refusing.close(() => resolve()));
  });
});

describe('a kubeconfig', () => {
  test('may be several files, of which the first that has an entry wins', async () => {
    const first = folder.write(
      'first',
      JSON.stringify({ users: [{ name: 'u', user: { token: 'token-1' } }] }),
    );
    const second = folder.config({ cluster: { server: kubernetes.url }, user: { token: 'other' } }, 'second');
    const paths = [first, `${folder.path}/missing`, second].join(delimiter);
    expect(await podNames(storeOf(readKubeconfig(paths, { env: {}, clock })))).toEqual(['web-1']);
  });

  test.each([
    ['current-context: nowhere', 'The kubeconfig has no context "nowhere".'],
    ['', 'The kubeconfig has no context "".'],
    ['users: [', 'is not valid YAML'],
  ])('with the text %j is rejected with a reason', (text, reason) => {
    const file = folder.write('config', text);
    expect(() => readKubeconfig(file, { env: {}, clock })).toThrow(reason);
    expect(() => readKubeconfig(`${file}-missing`, { env: {}, clock })).toThrow(
      'config-missing cannot be read',
    );
  });

  test.each([
    [{ 'proxy-url': 'ftp://proxy' }, {}, 'must be an http, https or socks5 URL'],
    [{ server: '' }, {}, 'has no server'],
    [{}, { 'auth-provider': { name: 'ldap' } }, 'auth-provider "ldap" is not supported'],
    [{}, { 'client-key-data': 'eA==' }, 'needs both client-certificate and client-key'],
    [{}, { 'as-groups': ['a', 'b'] }, 'more than one entry of as-groups'],
  ])('with a cluster of %j and a user of %j is rejected, naming the field', (cluster, user, reason) => {
    expect(() => signIn(user, cluster)).toThrow(reason);
  });
});

/** Real proxies before two gateways, with the files of deploy/, a certificate of their own and free ports. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { freePort } from './free-port.ts';
import { PATIENCE } from './patience.ts';

export const proxyNames = ['nginx', 'haproxy', 'caddy'] as const;
export type ProxyName = (typeof proxyNames)[number];

export interface TestProxy {
  readonly name: ProxyName;
  /** https, with a certificate that only `agent` trusts. */
  readonly url: string;
  /** http, where the proxy redirects to https; null if the file does not configure it. */
  readonly plainUrl: string | null;
  readonly agent: Agent;
  /** Resolves when it sends calls to both gateways. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const NAME = 'gateway.example.com';
const CERTIFICATE = '/etc/tollgate/tls/cert.pem';
const KEY = '/etc/tollgate/tls/key.pem';

/** Null where the program is not installed; then tests say so, or fail where it is required. */
export function findProxy(name: ProxyName): string | null {
  const folders = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];
  const found = folders.map((folder) => join(folder, name)).find((program) => existsSync(program)) ?? null;
  if (found === null && process.env.TOLLGATE_TEST_PROXIES === 'required')
    throw new Error(`TOLLGATE_TEST_PROXIES is "required", but ${name} is not installed.`);
  return found;
}

export function startProxy(
  name: ProxyName,
  program: string,
  ports: readonly [number, number],
): Promise<TestProxy> {
  const starts = { nginx: startNginx, haproxy: startHaproxy, caddy: startCaddy };
  return starts[name](program, ports);
}

async function startNginx(program: string, ports: readonly [number, number]): Promise<TestProxy> {
  const place = await makeProxyPlace('nginx');
  const { folder, port, plainPort } = place;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
  const settings = deployed('nginx/tollgate.conf', ports, [
    [NAME, 'localhost'],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/var/log/nginx/tollgate.log', join(folder, 'access.log')],
    [CERTIFICATE, place.certificate],
    [KEY, place.key],
  ]);
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; user root; pid ${folder}/pid; worker_processes 1; error_log ${folder}/error.log;
events {}
http { ${temporary}
${settings}
}`,
  );
  const child = spawn(program, ['-p', folder, '-c', file], { stdio: outputOf(place) });
  // It asks a gateway again as soon as there is one.
  return await started(place, child, async () => undefined);
}

async function startHaproxy(program: string, ports: readonly [number, number]): Promise<TestProxy> {
  const place = await makeProxyPlace('haproxy');
  const { folder, port, plainPort } = place;
  const both = join(folder, 'haproxy.pem');
  writeFileSync(both, readFileSync(place.certificate, 'utf8') + readFileSync(place.key, 'utf8'));
  const socket = join(folder, 'stats');
  const settings = deployed('haproxy/haproxy.cfg', ports, [
    ['bind :80', `bind 127.0.0.1:${plainPort}`],
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['/etc/tollgate/tls/haproxy.pem', both],
    ['\nglobal\n', `\nglobal\n    stats socket ${socket} level user\n`],
  ]);
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, settings);
  const child = spawn(program, ['-db', '-f', file], { stdio: outputOf(place) });
  return await started(place, child, () =>
    vi.waitFor(async () => {
      const up = (await asked(socket, 'show stat\n')).match(/^tollgate,(one|two),.*,UP,/gm) ?? [];
      if (up.length !== 2) throw new Error(`HAProxy uses ${up.length} of 2 gateways`);
    }, PATIENCE),
  );
}

async function startCaddy(program: string, ports: readonly [number, number]): Promise<TestProxy> {
  const place = await makeProxyPlace('caddy');
  const { folder, port } = place;
  const admin = await freePort();
  const settings = deployed('caddy/Caddyfile', ports, [
    [`${NAME} {`, `https://localhost:${port} {\n\tbind 127.0.0.1`],
    [CERTIFICATE, place.certificate],
    [KEY, place.key],
  ]);
  const file = join(folder, 'Caddyfile');
  const options = `admin 127.0.0.1:${admin}\n\tauto_https disable_redirects`;
  writeFileSync(file, `{\n\t${options}\n}\n\n${settings}`);
  const child = spawn(program, ['run', '--config', file, '--adapter', 'caddyfile'], {
    stdio: outputOf(place),
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  const proxy = await started(place, child, () =>
    vi.waitFor(async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text();
      const healthy = metrics.match(/^caddy_reverse_proxy_upstreams_healthy\{.*\} 1$/gm) ?? [];
      const wanted = new Set(ports).size;
      if (healthy.length !== wanted) throw new Error(`Caddy uses ${healthy.length} of ${wanted} gateways`);
    }, PATIENCE),
  );
  return { ...proxy, plainUrl: null };
}

interface ProxyPlace {
  readonly name: ProxyName;
  readonly folder: string;
  readonly port: number;
  readonly plainPort: number;
  readonly certificate: string;
  readonly key: string;
}

async function makeProxyPlace(name: ProxyName): Promise<ProxyPlace> {
  const folder = mkdtempSync(join(tmpdir(), `tollgate-${name}-`));
  const certificate = join(folder, 'cert.pem');
  const key = join(folder, 'key.pem');
  makeCertificate({ certificate, key });
  return { name, folder, port: await freePort(), plainPort: await freePort(), certificate, key };
}

function makeCertificate({ certificate, key }: { certificate: string; key: string }): void {
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', ...kind, ...subject, ...files], { stdio: 'ignore' });
}

function outputOf({ folder }: ProxyPlace): ['ignore', 'ignore', number] {
  return ['ignore', 'ignore', openSync(join(folder, 'output'), 'a')];
}

async function started(
  { name, folder, port, plainPort, certificate }: ProxyPlace,
  child: ChildProcess,
  ready: () => Promise<void>,
): Promise<TestProxy> {
  const stop = async (): Promise<void> => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill('SIGTERM')) await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await listening(port);
  } catch {
    const output = readFileSync(join(folder, 'output'), 'utf8');
    await stop();
    throw new Error(`${name} does not listen:\n${output}`);
  }
  const agent = new Agent({ keepAlive: true, ca: readFileSync(certificate), family: 4 });
  return {
    name,
    url: `https://localhost:${port}`,
    plainUrl: `http://127.0.0.1:${plainPort}`,
    agent,
    ready,
    async stop() {
      agent.destroy();
      await stop();
    },
  };
}

type Replacement = readonly [from: string, to: string];

/** The file as people copy it, with the replacements that they would make. */
function deployed(
  file: string,
  [one, two]: readonly [number, number],
  replacements: readonly Replacement[],
): string {
  const all: Replacement[] = [
    ...replacements,
    ['127.0.0.1:8081', `127.0.0.1:${one}`],
    ['127.0.0.1:8082', `127.0.0.1:${two}`],
  ];
  return all.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`deploy/${file} has no ${JSON.stringify(from)}`);
      return text.replaceAll(from, to);
    },
    readFileSync(join(DEPLOY, file), 'utf8'),
  );
}

function listening(port: number): Promise<void> {
  return vi.waitFor(
    () =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.destroy();
          resolve();
        }).on('error', reject);
      }),
    PATIENCE,
  );
}

function asked(path: string, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    connect(path, function (this: { write(text: string): void }) {
      this.write(question);
    })
      .on('data', (piece) => {
        text += piece;
      })
      .on('end', () => resolve(text))
      .on('error', reject);
  });
}

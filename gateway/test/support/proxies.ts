/** Real proxies before gateways, with the settings that docs/scaling.md recommends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { PATIENCE } from './patience.ts';
import { freePort } from './postgres.ts';

export interface TestProxy {
  readonly name: 'nginx' | 'haproxy';
  readonly url: string;
  /** Resolves when it sends calls to all gateways. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const DOCS = fileURLToPath(new URL('../../../docs/scaling.md', import.meta.url));

/** Null where the program is not installed; then tests say so, or fail where it is required. */
export function findProxy(name: TestProxy['name']): string | null {
  const folders = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];
  const found = folders.map((folder) => join(folder, name)).find((program) => existsSync(program)) ?? null;
  if (found === null && process.env.TOLLGATE_TEST_PROXIES === 'required')
    throw new Error(`TOLLGATE_TEST_PROXIES is "required", but ${name} is not installed.`);
  return found;
}

export async function startNginx(program: string, ports: readonly [number, number]): Promise<TestProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
  const config = `daemon off; user root; pid ${folder}/pid; worker_processes 1; error_log ${folder}/error.log;
events {}
http { access_log off; ${temporary}
${settingsOf('nginx', port, ports)}
}`;
  writeFileSync(join(folder, 'nginx.conf'), config);
  const child = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  await listening(port);
  // It asks a gateway again as soon as there is one.
  return { name: 'nginx', url, ready: async () => undefined, stop: () => stopped(child, folder) };
}

export async function startHaproxy(program: string, ports: readonly [number, number]): Promise<TestProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-haproxy-'));
  const port = await freePort();
  const socket = join(folder, 'stats');
  const config = `global\n    stats socket ${socket} level user\n\n${settingsOf('haproxy', port, ports)}`;
  writeFileSync(join(folder, 'haproxy.cfg'), config);
  const child = spawn(program, ['-q', '-db', '-f', join(folder, 'haproxy.cfg')], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await listening(port);
  return {
    name: 'haproxy',
    url: `http://127.0.0.1:${port}`,
    ready: () =>
      vi.waitFor(async () => {
        const up = (await asked(socket, 'show stat\n')).match(/^tollgate,(one|two),.*,UP,/gm) ?? [];
        if (up.length !== 2) throw new Error(`HAProxy uses ${up.length} of 2 gateways`);
      }, PATIENCE),
    stop: () => stopped(child, folder),
  };
}

/** As they stand in the documentation, with other ports. */
function settingsOf(language: string, port: number, [one, two]: readonly [number, number]): string {
  const block = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(readFileSync(DOCS, 'utf8'))?.[1];
  if (block === undefined) throw new Error(`docs/scaling.md has no settings for ${language}`);
  return block
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${one}`)
    .replaceAll('127.0.0.1:8082', `127.0.0.1:${two}`);
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

async function stopped(child: ChildProcess, folder: string): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
  rmSync(folder, { recursive: true, force: true });
}

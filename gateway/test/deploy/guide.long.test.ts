/** Runs the commands of docs/deploying.md as they are printed, with a scratch folder for `/` and other ports. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { freePort } from '../support/free-port.ts';
import { program } from '../support/program.ts';
import { findProxy } from '../support/proxies.ts';

const checkout = fileURLToPath(new URL('../../../', import.meta.url));
const postgresUrl = inject('postgresUrl');
const nginx = findProxy('nginx');
const clients = ['/usr/bin/psql', '/usr/local/bin/psql', '/opt/homebrew/bin/psql'];
const why =
  postgresUrl === null || !clients.some((file) => existsSync(file))
    ? 'there is no PostgreSQL, or no psql'
    : nginx === null
      ? 'nginx is not installed'
      : null;
if (why !== null) process.stderr.write(`The commands of docs/deploying.md are not run: ${why}.\n`);

describe.skipIf(why !== null)('docs/deploying.md', () => {
  const root = mkdtempSync(join(tmpdir(), 'tollgate-test-guide-'));
  const name = `tollgate_guide_${process.pid}`;
  const ports = { one: 0, two: 0, http: 0, https: 0 };
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ apiKey: 'simulator-key' });
    for (const port of Object.keys(ports) as Array<keyof typeof ports>) ports[port] = await freePort();
    for (const folder of ['bin', 'run', 'etc/systemd/system', 'etc/nginx/conf.d', 'var/log/nginx'])
      mkdirSync(join(root, folder), { recursive: true });
    writePrograms();
    copyDeployFiles();
    writeFileSync(join(root, 'etc/nginx/nginx.conf'), nginxBase());
  });
  afterAll(async () => {
    for (const file of readdirSync(join(root, 'run')).filter((entry) => entry.endsWith('.pid'))) {
      // nginx ends its workers only if it is asked.
      const signal = file === 'nginx.pid' ? 'SIGTERM' : 'SIGKILL';
      endProcess(Number(readFileSync(join(root, 'run', file), 'utf8')), signal);
    }
    await simulator?.stop();
    await onServer(`drop database if exists ${name} with (force)`);
    await onServer(`drop role if exists ${name}`);
    rmSync(root, { recursive: true, force: true });
  });

  test('its commands lead from nothing to two gateways behind nginx, and a call', async () => {
    const { code, output } = await runScript(
      commandsOf(readFileSync(join(checkout, 'docs/deploying.md'), 'utf8')),
    );
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toContain('"content":"It works"');
    expect(output).toContain('The books agree');
  });

  function commandsOf(page: string): string {
    const guide = /<!-- guide:begin -->(.*?)<!-- guide:end -->/s.exec(page)?.[1] ?? '';
    const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1] ?? '');
    const { hostname, port } = new URL(postgresUrl as string);
    const replaced = [
      [
        'postgres://tollgate:change-me@localhost:5432/tollgate',
        `postgres://${name}:change-me@${hostname}:${port}/${name}`,
      ],
      ['create role tollgate ', `create role ${name} `],
      ['--owner=tollgate tollgate', `--owner=${name} ${name}`],
      ['https://api.openai.com/v1', simulator.url],
      ['sk-your-key', 'simulator-key'],
      ['model: gpt-5-mini }', 'model: sim-chat }'],
      // Waiting for load balancers would take ten seconds.
      ['prices:\n  version', 'limits: { shutdown_wait_ms: 100, shutdown_idle_ms: 100 }\nprices:\n  version'],
      ['/etc/', `${root}/etc/`],
      ['8081', String(ports.one)],
      ['8082', String(ports.two)],
      ['gateway.example.com:443:', `gateway.example.com:${ports.https}:`],
      ['https://gateway.example.com/', `https://gateway.example.com:${ports.https}/`],
    ] as const;
    return replaced.reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`docs/deploying.md has no ${from}`);
      return text.replaceAll(from, to);
    }, blocks.join('\n'));
  }

  async function runScript(script: string): Promise<{ code: number | null; output: string }> {
    const { hostname, port, username, password, pathname } = new URL(postgresUrl as string);
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: root,
      env: {
        PATH: [join(root, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
        HOME: root,
        TOLLGATE_TEST_ROOT: root,
        TOLLGATE_TEST_NGINX: nginx as string,
        ...{ PGHOST: hostname, PGPORT: port, PGUSER: username, PGDATABASE: pathname.slice(1) },
        ...(password !== '' && { PGPASSWORD: password }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output };
  }

  /** What the machine of the guide has and this one has not. */
  function writePrograms(): void {
    const systemctl = fileURLToPath(new URL('../support/stand-in-systemctl.ts', import.meta.url));
    const programs = {
      // Commands run as the user of the test, who owns the folder.
      sudo: 'if [ "$1" = -u ]; then shift 2; fi\nexec "$@"',
      tollgate: `exec "${process.execPath}" "${program()}" "$@"`,
      systemctl: `exec "${process.execPath}" "${systemctl}" "$@"`,
      nginx: `exec "${nginx}" -c "${root}/etc/nginx/nginx.conf" "$@"`,
    };
    for (const [file, text] of Object.entries(programs)) {
      writeFileSync(join(root, 'bin', file), `#!/bin/sh\n${text}\n`);
      chmodSync(join(root, 'bin', file), 0o755);
    }
  }

  function copyDeployFiles(): void {
    cpSync(join(checkout, 'deploy'), join(root, 'deploy'), { recursive: true });
    change('deploy/systemd/tollgate@.service', [
      ['/usr/local/bin/tollgate', join(root, 'bin/tollgate')],
      ['/etc/tollgate', join(root, 'etc/tollgate')],
      ['/var/lib/tollgate', join(root, 'var/lib/tollgate')],
      // Ports of tests are too high for a digit more.
      ['OPS_PORT=1%i', 'OPS_PORT=0'],
    ]);
    change('deploy/nginx/tollgate.conf', [
      ['listen 80;', `listen 127.0.0.1:${ports.http};`],
      ['listen 443 ', `listen 127.0.0.1:${ports.https} `],
      ['127.0.0.1:8081', `127.0.0.1:${ports.one}`],
      ['127.0.0.1:8082', `127.0.0.1:${ports.two}`],
      ['/etc/tollgate', join(root, 'etc/tollgate')],
      ['/var/log/nginx', join(root, 'var/log/nginx')],
    ]);
  }

  function change(file: string, replacements: ReadonlyArray<readonly [string, string]>): void {
    const text = replacements.reduce(
      (changed, [from, to]) => changed.replaceAll(from, to),
      readFileSync(join(root, file), 'utf8'),
    );
    writeFileSync(join(root, file), text);
  }

  function nginxBase(): string {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${root}/run/${kind};`)
      .join(' ');
    return `user root; pid ${root}/run/nginx.pid; worker_processes 1; error_log ${root}/run/error.log;
events {}
http { ${temporary} include ${root}/etc/nginx/conf.d/*.conf; }`;
  }
});

async function onServer(statement: string): Promise<void> {
  const { Client } = (await import('pg')).default;
  const client = new Client({ connectionString: postgresUrl as string });
  await client.connect();
  await client.query(statement);
  await client.end();
}

function endProcess(pid: number, signal: NodeJS.Signals): void {
  // Zero would be all processes of this test; nginx leaves an empty file after a check of its settings.
  if (!(pid > 1)) return;
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}

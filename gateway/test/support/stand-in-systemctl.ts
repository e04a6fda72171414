/**
 * Stands in for systemctl where no systemd runs: starts what a unit file says, with its environment and its stop signal.
 * TOLLGATE_TEST_ROOT is the folder that stands for `/`.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const root = process.env.TOLLGATE_TEST_ROOT ?? '';
const pidFile = (name: string): string => join(root, 'run', `${name}.pid`);

function startUnit(name: string): void {
  const [, kind = '', instance = ''] = /^(\w+)@(\w+)$/.exec(name) ?? [];
  const unit = readFileSync(join(root, `etc/systemd/system/${kind}@.service`), 'utf8').replaceAll(
    '%i',
    instance,
  );
  const settings = (key: string): string[] =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map((match) => match[1] ?? '');
  const [file = ''] = settings('EnvironmentFile');
  const secrets = readFileSync(file.replace(/^-/, ''), 'utf8').trim().split('\n');
  const pairs = [...settings('Environment'), ...secrets].map((line) => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  });
  const env = Object.fromEntries([...pairs, ['PATH', process.env.PATH ?? '']]) as Record<string, string>;
  mkdirSync(env.TOLLGATE_DATA ?? '', { recursive: true, mode: 0o700 });
  const [program = '', ...args] = (settings('ExecStart')[0] ?? '').split(' ');
  const log = openSync(join(root, 'run', `${name}.output`), 'a');
  const child = spawn(program, args, { env, detached: true, stdio: ['ignore', log, log] });
  writeFileSync(pidFile(name), String(child.pid));
  child.unref();
}

async function stopUnit(name: string): Promise<void> {
  const pid = Number(readFileSync(pidFile(name), 'utf8'));
  if (!(pid > 1)) throw new Error(`${name} does not run`);
  process.kill(pid, 'SIGTERM');
  while (existsSync(`/proc/${pid}`)) await pause(20);
  rmSync(pidFile(name));
}

function reloadNginx(): void {
  const config = ['-c', join(root, 'etc/nginx/nginx.conf')];
  // A check of its settings leaves an empty file.
  const isRunning = existsSync(pidFile('nginx')) && readFileSync(pidFile('nginx'), 'utf8') !== '';
  const reload = isRunning ? ['-s', 'reload'] : [];
  spawn(process.env.TOLLGATE_TEST_NGINX ?? '', [...config, ...reload], {
    detached: true,
    stdio: 'ignore',
  }).unref();
}

const [verb, ...rest] = process.argv.slice(2);
const names = rest.filter((word) => !word.startsWith('-'));
if (verb === 'enable') for (const name of names) startUnit(name);
else if (verb === 'restart')
  for (const name of names) {
    await stopUnit(name);
    startUnit(name);
  }
else if (verb === 'reload' && names[0] === 'nginx') reloadNginx();
else if (verb !== 'daemon-reload') throw new Error(`systemctl ${verb} has no stand-in`);

/** A gateway whose file system is read-only, as in a hardened container: only its data folder and /tmp can be written. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatLine } from '../support/batches-stage.ts';
import { testConfig, withBatches } from '../support/config.ts';
import { quickEngine } from '../support/engines.ts';
import { type Installed, install } from '../support/installed-gateway.ts';
import { program } from '../support/program.ts';

/** Makes everything read-only for itself and its children except the two folders, then becomes the command. */
const CONTAINER = `
set -e
data=$1; temporary=$2; shift 2
mount -n --make-rprivate /
mount -n --bind "$data" "$data"
mount -n --bind "$temporary" "$temporary"
for place in / /tmp /dev/shm; do
  if mountpoint -q "$place"; then mount -n -o remount,ro,bind "$place"; fi
done
if touch "$(dirname "$data")/written" /written 2>/dev/null; then echo 'the root is writable' >&2; exit 9; fi
cd /
exec "$@"`;

const canMount = ((): boolean => {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-n', '--make-rprivate', '/'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
if (!canMount) process.stderr.write('A read-only root is not tested: nothing can be mounted here.\n');

describe.skipIf(!canMount)('a read-only root file system', () => {
  let installed: Installed;
  let temporary: string;
  beforeAll(async () => {
    installed = await install(quickEngine, withBatches(testConfig()));
    temporary = mkdtempSync(join(tmpdir(), 'tollgate-test-tmp-'));
  });
  afterAll(async () => {
    await installed?.remove();
    rmSync(temporary, { recursive: true, force: true });
  });

  test('serves calls and uploads with a writable data folder and /tmp, and stops cleanly', async () => {
    const { folder, configFile, databaseUrl, key } = installed;
    const serve = [process.execPath, program(), 'serve', '--data', folder, '--config', configFile];
    const server = spawn(
      'unshare',
      ['--mount', 'sh', '-c', CONTAINER, 'container', folder, temporary, ...serve],
      {
        env: {
          ...{ PATH: process.env.PATH, TMPDIR: temporary, PORT: '0', OPS_PORT: '0' },
          ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    const ended = once(server, 'exit');
    const url = await addressOf(server.stderr);
    const headers = { authorization: `Bearer ${key}` };
    const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'x' }] };
    const call = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(call.status).toBe(200);
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([`${chatLine('1', 'x')}\n`]), 'lines.jsonl');
    const upload = await fetch(`${url}/v1/files`, { method: 'POST', headers, body: form });
    expect(await upload.json()).toMatchObject({ object: 'file' });
    server.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });
});

async function addressOf(log: NodeJS.ReadableStream): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: log })) {
    lines.push(line);
    if (!line.includes('tollgate is listening')) continue;
    log.resume();
    return `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`;
  }
  throw new Error(`the gateway ended before it listened:\n${lines.join('\n')}`);
}

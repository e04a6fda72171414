/**
 * Portkey's open gateway (`@portkey-ai/gateway`), which runs on Node too. It is not a dependency: it is measured if
 * `--peers FOLDER` names a folder where it was installed with `npm install --ignore-scripts @portkey-ai/gateway`.
 * It checks no keys and has no metering.
 */
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { Stage } from './stage.ts';
import { pidOf, type Target, waitFor } from './target.ts';

const START_MS_MAX = 30_000;

export interface Portkey {
  readonly folder: string;
  readonly version: string;
}

export function findPortkey(peers: string | null): Portkey | null {
  if (peers === null) return null;
  const folder = join(peers, 'node_modules/@portkey-ai/gateway');
  const description = join(folder, 'package.json');
  if (!existsSync(description)) return null;
  const { version } = JSON.parse(readFileSync(description, 'utf8')) as { version: string };
  return { folder, version };
}

export async function startPortkey(stage: Stage, { folder }: Portkey, upstreamPort: number): Promise<Target> {
  const port = await freePort();
  const args = [join(folder, 'build/start-server.js'), '--headless', `--port=${port}`];
  const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'production' };
  const pid = pidOf(stage.spawn('portkey', { file: process.execPath, args, env, cwd: folder }));
  await Promise.race([
    stage.broken,
    waitFor(START_MS_MAX, 'Portkey does not listen', async () => ((await accepts(port)) ? true : null)),
  ]);
  return {
    name: 'portkey',
    port,
    key: 'bench',
    headers: {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
    },
    // Streams of version 1.15 fail on Node 26 with "TypeError: immutable".
    takes: ({ kind, streams }) => !streams && (kind === 'relayed' || kind === 'long'),
    pids: () => [pid],
    chargedCalls: null,
    profileFolder: null,
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** It does not say which one it chose. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

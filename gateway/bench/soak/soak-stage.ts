/** The gateway of a soak run as an operator runs it, with a PostgreSQL of its own, the simulator, people and pods. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { askServer, type CallInput, type CallName, type CallResult } from '../../src/app/ask-server.ts';
import { pointAt } from '../../test/support/config.ts';
import { PodFiles } from '../../test/support/pod-files.ts';
import { findBinaries } from '../../test/support/postgres.ts';
import { createCluster } from '../../test/support/postgres-cluster.ts';
import { waitFor } from '../target.ts';

const START_MS_MAX = 120_000;
const PASSWORD = 'a long enough password';
const collector = new URL('collect-garbage.ts', import.meta.url).href;
const command = fileURLToPath(new URL('../../bin/tollgate.js', import.meta.url));

const config = `
providers:
  simulator: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
models:
  sim-chat: { batch: true, capabilities: [streaming], routes: [{ provider: simulator, model: sim-chat }] }
  sim-embed: { endpoints: [embeddings], routes: [{ provider: simulator, model: sim-embed }] }
  sim-image: { endpoints: [images], routes: [{ provider: simulator, model: sim-image }] }
  film:
    endpoints: [video]
    video: { seconds: [4], seconds_default: 4 }
    routes: [{ provider: simulator, model: sim-video }]
prices:
  version: soak-1
  models:
    sim-chat: { input: 2.5, output: 10, batch_input: 1.25, batch_output: 5 }
    sim-embed: { input: 0.1 }
    sim-image: { per_image: 0.02 }
    film: { per_second: 0.1 }
limits: { video_poll_ms: 200 }
`;

export type Administer = <Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
) => Promise<CallResult<Name>>;

export interface SoakStage {
  readonly url: string;
  readonly metricsUrl: string;
  readonly databaseUrl: string;
  readonly pid: number;
  readonly key: string;
  /** Of a member who may read the logs of the project `shop`. */
  readonly session: string;
  readonly pod: PodFiles;
  readonly admin: Administer;
  /** Resolves to the exit code. */
  stopGateway(): Promise<number | null>;
  /** `tollgate ledger verify`, after the gateway has stopped; resolves to its exit code and what it printed. */
  verifyLedger(): Promise<{ code: number | null; text: string }>;
  remove(): Promise<void>;
}

export async function startSoakStage(): Promise<SoakStage> {
  const binaries = findBinaries();
  if (binaries === null) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-soak-'));
  const cluster = await createCluster({ binaries });
  process.once('exit', () => cluster.removeNow());
  const simulator: Simulator = await startSimulator({ apiKey: 'simulator-key', videoMs: 500 });
  const configFile = join(folder, 'tollgate.yaml');
  writeFileSync(configFile, pointAt(config, { simulator }));
  const env = {
    PATH: process.env.PATH ?? '',
    PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'warn',
    DATABASE_URL: cluster.url,
  };
  const run = (args: readonly string[], flags: readonly string[] = []): ChildProcess =>
    spawn(process.execPath, [...flags, command, ...args, '--config', configFile, '--data', folder], { env });
  const gateway = run(['serve'], ['--expose-gc', '--import', collector]);
  gateway.stderr?.pipe(process.stderr);
  gateway.stdout?.resume();
  process.once('exit', () => void gateway.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => gateway.once('exit', resolve));
  const status = await waitFor(
    START_MS_MAX,
    'the gateway does not start',
    async () => (await askServer(folder, 'status', {}))?.result ?? null,
  );
  const admin: Administer = async (name, input) => {
    const answered = await askServer(folder, name, input, 'soak');
    if (answered === null) throw new Error('the gateway does not run');
    return answered.result;
  };
  const url = status.baseUrl.replace('localhost', '127.0.0.1');
  await admin('spaces.create', { name: 'acme', overage: true });
  await admin('grants.add', { amount: '1000000', kind: 'paid' });
  await admin('projects.add', { space: 'acme', id: 'shop' });
  const { key } = await admin('keys.create', { name: 'soak', kind: 'shared' });
  return {
    url,
    metricsUrl: status.metricsUrl ?? '',
    databaseUrl: cluster.url,
    pid: gateway.pid ?? 0,
    key,
    admin,
    session: await signIn(url, admin),
    pod: new PodFiles(join(folder, 'logs'), { pod: 'web' }),
    async stopGateway() {
      gateway.kill('SIGINT');
      return await ended;
    },
    async verifyLedger() {
      const child = run(['ledger', 'verify']);
      let text = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (piece: Buffer) => {
          text += piece.toString('utf8');
        });
      }
      return { code: await new Promise((resolve) => child.once('close', resolve)), text };
    },
    async remove() {
      gateway.kill('SIGKILL');
      await ended;
      await simulator.stop();
      await cluster.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function signIn(url: string, admin: Administer): Promise<string> {
  const email = 'ann@example.com';
  await admin('members.add', { space: 'acme', email, nickname: 'Ann', role: 'member' });
  await admin('people.password', { email, password: PASSWORD });
  const reply = await fetch(`${url}/api/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD, keep: 'token' }),
  });
  return ((await reply.json()) as { token: string }).token;
}

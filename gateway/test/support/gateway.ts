/** A whole gateway for a test: the real server, a real database, the simulator as its provider. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { askServer, type CallInput, type CallName, type CallResult } from '../../src/app/ask-server.ts';
import { type RunningServer, serve } from '../../src/app/serve.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import type { Sql } from '../../src/database/sql.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { pointAt, testConfig } from './config.ts';
import { type Engine, makePlace, quickEngine } from './engines.ts';

export interface TestGateway {
  readonly url: string;
  readonly simulator: Simulator;
  readonly folder: string;
  readonly databaseUrl: string | null;
  readonly configFile: string;
  /** A shared gateway key of the space `acme`, which holds 1000 paid units. */
  readonly key: string;
  /** Every line the gateway logged. */
  readonly logged: readonly string[];
  /** Runs an operation of administration as the command line does. */
  readonly admin: Administer;
  /** Reads the database from beside the gateway. */
  query<Row extends object>(statement: Sql): Promise<Row[]>;
  /** Sends a chat request with the key; the body may be anything. */
  chat(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The same on any path. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** What a terminal shows while there is no operator. */
  firstOperatorCode(): Promise<string | null>;
  /** Removes files and blobs whose time is over. */
  sweepFiles(): Promise<void>;
  /** Every sweep there is, once. */
  sweepAll(): Promise<void>;
  stop(): Promise<void>;
}

/** The input may be left out if the operation needs none. */
export type Administer = <Name extends CallName>(
  name: Name,
  ...input: Record<never, never> extends CallInput<Name>
    ? [input?: CallInput<Name>]
    : [input: CallInput<Name>]
) => Promise<CallResult<Name>>;

/** Runs operations in the server that runs on a data folder. */
export function administerAt(folder: string): Administer {
  return async (name, ...[input]) => {
    const answered = await askServer(folder, name, (input ?? {}) as never, 'test');
    if (answered === null) throw new Error('the gateway does not run');
    return answered.result;
  };
}

export interface TestGatewayOptions {
  /** Default: the one that takes less time. */
  readonly engine?: Engine;
  /** YAML of the whole file; in it `SIMULATOR` becomes the simulator's address with `/v1`, `SIMULATOR_ORIGIN` without. */
  readonly config?: string;
  readonly paceMs?: number;
  /** Moves the gateway's clock; see `ShiftedClock`. */
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string>>;
  /** The way the gateway takes to its PostgreSQL, where that is not the straight one. */
  readonly through?: { readonly port: number };
  /** See `FaultyDatabase`. */
  readonly wrapDatabase?: (db: Database) => Database;
}

export async function startGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const place = await makePlace(options.engine ?? quickEngine);
  const simulator = await startSimulator({
    apiKey: 'simulator-key',
    ...(options.paceMs && { paceMs: options.paceMs }),
  });
  const configFile = join(place.folder, 'tollgate.yaml');
  writeFileSync(configFile, pointAt(options.config ?? testConfig(), { simulator }));
  const logged: string[] = [];
  const env = {
    PORT: '0',
    OPS_PORT: '0',
    ...(place.databaseUrl !== null && { DATABASE_URL: wayTo(place.databaseUrl, options.through?.port) }),
    ...options.env,
  };
  const server: RunningServer = await serve({ data: place.folder, config: configFile }, env, {
    say: () => undefined,
    log: createLog({ level: 'debug', write: (line) => logged.push(line) }),
    ...(options.clock && { clock: options.clock }),
    ...(options.wrapDatabase && { wrapDatabase: options.wrapDatabase }),
  });
  const url = server.status().baseUrl.replace('localhost', '127.0.0.1');
  const admin = administerAt(place.folder);
  await admin('spaces.create', { name: 'acme', overage: true });
  await admin('grants.add', { amount: '1000', kind: 'paid' });
  const { key } = await admin('keys.create', { name: 'test', kind: 'shared' });
  const post: TestGateway['post'] = (path, body, headers = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
  let beside: Database | null = null;
  return {
    url,
    simulator,
    folder: place.folder,
    databaseUrl: place.databaseUrl,
    configFile,
    key,
    logged,
    admin,
    async query(statement) {
      // The embedded database has one owner, so there the server's own handle is used.
      if (place.databaseUrl === null) return await server.db.query(statement);
      beside ??= await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
      return await beside.query(statement);
    },
    chat: (body, headers) => post('/v1/chat/completions', body, headers),
    post,
    firstOperatorCode: server.firstOperatorCode,
    sweepFiles: server.sweepFiles,
    sweepAll: server.sweepAll,
    async stop() {
      await beside?.close();
      await server.stop();
      refuseSecretsIn(logged, [key, 'simulator-key']);
      await simulator.stop();
      await place.remove();
    },
  };
}

function wayTo(databaseUrl: string, port: number | undefined): string {
  if (port === undefined) return databaseUrl;
  const url = new URL(databaseUrl);
  url.port = String(port);
  return url.href;
}

/** Whatever a test does, neither the caller's key nor the provider's may stand in the log. */
function refuseSecretsIn(logged: readonly string[], secrets: readonly string[]): void {
  const line = logged.find((one) => secrets.some((secret) => one.includes(secret)));
  if (line !== undefined) throw new Error(`a secret stands in the log: ${line}`);
}

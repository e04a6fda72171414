/** Further gateways: each has its own data folder, and the PostgreSQL and simulator of another. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, serve } from '../../src/app/serve.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { pointAt, testConfig } from './config.ts';
import type { TestGateway } from './gateway.ts';
import { startGatewayProcess } from './gateway-process.ts';

export interface BesideGateway {
  readonly url: string;
  /** Its data folder, in which its blobs are. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** A second process in all but name. */
export async function startBeside(gateway: TestGateway, configText = testConfig()): Promise<BesideGateway> {
  const { folder, config } = ownFolder(gateway, configText);
  const env = { PORT: '0', OPS_PORT: '0', DATABASE_URL: gateway.databaseUrl ?? undefined };
  const log = createLog({ level: 'silent' });
  const server: RunningServer = await serve({ data: folder, config }, env, { say: () => undefined, log });
  return {
    folder,
    url: server.status().baseUrl.replace('localhost', '127.0.0.1'),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface BesideProcess extends BesideGateway {
  readonly pid: number;
}

/** A process of its own. */
export async function startBesideProcess(
  gateway: TestGateway,
  configText = testConfig(),
): Promise<BesideProcess> {
  const { folder, config: configFile } = ownFolder(gateway, configText);
  const { databaseUrl } = gateway;
  const running = await startGatewayProcess({ folder, configFile, databaseUrl });
  return {
    folder,
    url: running.url,
    pid: running.pid,
    async stop() {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ownFolder(gateway: TestGateway, configText: string): { folder: string; config: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-beside-'));
  const config = join(folder, 'tollgate.yaml');
  writeFileSync(config, pointAt(configText, gateway));
  return { folder, config };
}

/** A gateway in a process of its own, the simulator as its provider, and a space with units, for faults. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '../../simulator/simulator.ts';
import { pointAt } from '../support/config.ts';
import { filesConfig } from '../support/files-stage.ts';
import { type Administer, administerAt } from '../support/gateway.ts';
import { type GatewayPlace, startGatewayProcess } from '../support/gateway-process.ts';
import { booksAt, type FaultStage } from './run-fault.ts';

export interface FaultStageOptions {
  /** What the gateway is given; null for the embedded engine. */
  readonly databaseUrl: string | null;
  /** Where the books are read in the end, if not there. */
  readonly booksUrl?: () => string;
  readonly folder?: string;
  readonly redisUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: string;
  /** Stands before the simulator. */
  readonly provider?: (simulator: { url: string }) => Promise<{ url: string }>;
}

export interface RunningFaultStage extends FaultStage {
  readonly admin: Administer;
  remove(): Promise<void>;
}

export async function startFaultStage(options: FaultStageOptions): Promise<RunningFaultStage> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'tollgate-test-fault-'));
  const simulator = await startSimulator({ apiKey: 'simulator-key' });
  const provider = (await options.provider?.(simulator)) ?? simulator;
  const configFile = join(folder, 'tollgate.yaml');
  writeFileSync(configFile, pointAt(options.config ?? filesConfig, { simulator: provider }));
  const { databaseUrl, redisUrl, env } = options;
  const place: GatewayPlace = {
    ...{ folder, configFile, databaseUrl },
    ...(redisUrl !== undefined && { redisUrl }),
    ...(env !== undefined && { env }),
  };
  const gateway = await startGatewayProcess(place);
  const admin = administerAt(folder);
  // Calls are held from the units of the space and from the limit of the key; neither is used up.
  await admin('spaces.create', { name: 'acme', overage: false });
  await admin('grants.add', { amount: '1000', kind: 'paid' });
  const { key } = await admin('keys.create', { name: 'test', kind: 'shared', month_limit: '1000' });
  return {
    ...{ url: gateway.url, agent: gateway.agent, admin, key, simulator },
    async stopGateway() {
      const code = await gateway.stop();
      if (code !== 0) throw new Error(`the gateway ended with ${code}`);
    },
    openBooks: () => booksAt({ folder, databaseUrl: options.booksUrl?.() ?? databaseUrl }),
    async remove() {
      await gateway.kill();
      await simulator.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

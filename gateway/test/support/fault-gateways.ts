/**
 * Two gateways before the faults of the simulator: a hurried one for providers that hang, and a patient one for all
 * other faults, so that a busy machine is not taken for a slow provider.
 */
import type { FaultName } from '../../simulator/faults.ts';
import type { Sql } from '../../src/database/sql.ts';
import { fates } from './fault-fates.ts';
import { startGateway, type TestGateway } from './gateway.ts';

const HURRIED = { upstream_silence_ms: 1500, stream_total_ms: 4000 };
const SHARED = 'upstream_body_bytes: 100000, drain_ms: 2000';

export class FaultGateways {
  readonly all: readonly TestGateway[];

  private constructor(all: readonly TestGateway[]) {
    this.all = all;
  }

  /** `configOf` writes the configuration with the limits it is given. */
  static async start(configOf: (limits: string) => string): Promise<FaultGateways> {
    const { upstream_silence_ms: silence, stream_total_ms: total } = HURRIED;
    const hurried = `limits: { ${SHARED}, upstream_silence_ms: ${silence}, stream_total_ms: ${total} }`;
    const patient = `limits: { ${SHARED} }`;
    return new FaultGateways([
      await startGateway({ config: configOf(patient) }),
      await startGateway({ config: configOf(hurried) }),
    ]);
  }

  /** The one that a fault is tried with. */
  for(name: string): TestGateway {
    const { stream, whole, attempts = 1 } = fates[name as FaultName];
    // A provider that itself answers with a timeout needs no limit of ours.
    const hangs = attempts === 1 && `${stream} ${whole}`.includes('timeout');
    return this.all[hangs ? 1 : 0] as TestGateway;
  }

  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    return (await Promise.all(this.all.map((gateway) => gateway.query<Row>(statement)))).flat();
  }

  logged(): string[] {
    return this.all.flatMap(({ logged }) => logged);
  }

  async stop(): Promise<void> {
    for (const gateway of this.all) await gateway.stop();
  }
}

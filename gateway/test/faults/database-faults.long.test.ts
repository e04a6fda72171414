/**
 * A PostgreSQL that stops, fails over or freezes under load. The suite breaks it for less than a second;
 * `npm run test:faults` for 30 s, with the faults that the suite has in other forms.
 */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { changeConfig } from '../support/config.ts';
import { filesConfig } from '../support/files-stage.ts';
import { createDatabase, findBinaries } from '../support/postgres.ts';
import { createCluster, type PostgresCluster } from '../support/postgres-cluster.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import type { FaultFigures } from './fault-figures.ts';
import { type RunningFaultStage, startFaultStage } from './fault-stage.ts';
import { type Frozen, freezeCommit, freezeConnections, freezeServer } from './freeze-backends.ts';
import { AWAY, FAULT_TEST_MS, isLongForm, OUTAGE_MS, runFault } from './run-fault.ts';

const binaries = findBinaries();
const seconds = OUTAGE_MS / 1_000;

describe.skipIf(binaries === null)('PostgreSQL under load', () => {
  let cluster: PostgresCluster;
  let databaseUrl: string;
  let cleanups: Array<() => Promise<void>> = [];

  beforeAll(async () => {
    cluster = await createCluster({ binaries: binaries as string, durable: isLongForm });
  });
  afterAll(() => cluster?.remove());
  afterEach(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
    cleanups = [];
  });

  /** A gateway on a new database, which it may reach through another port. */
  async function startStage(
    through: { port: number } = cluster,
    books = () => cluster,
    config = filesConfig,
  ): Promise<RunningFaultStage> {
    const own = new URL((await createDatabase(cluster.url)).url);
    databaseUrl = own.href;
    const by = (port: number): string => Object.assign(new URL(own), { port: String(port) }).href;
    const stage = await startFaultStage({
      ...{ databaseUrl: by(through.port), config },
      booksUrl: () => by(books().port),
    });
    cleanups.push(() => stage.remove());
    return stage;
  }

  test.each(isLongForm ? (['fast', 'immediate'] as const) : (['immediate'] as const))(
    'a server that is stopped (%s) and started again loses no charge and doubles none',
    async (mode) => {
      const figures = await runFault(await startStage(), {
        name: `PostgreSQL stopped (${mode}) for ${seconds} s`,
        begin: () => cluster.stop(mode),
        end: () => cluster.start(),
      });
      expectCharged(figures);
    },
    FAULT_TEST_MS,
  );

  const freezes = { 'all its connections': freezeConnections, 'a commit, with its locks': freezeCommit };
  test.runIf(isLongForm).each(Object.entries(freezes))(
    'a server that freezes %s rejects no call, loses no charge and doubles none',
    async (what, freeze) => {
      let frozen: Frozen | null = null;
      const figures = await runFault(await startStage(), {
        name: `PostgreSQL freezes ${what} for ${seconds} s`,
        begin: async () => {
          frozen = await freeze(databaseUrl);
        },
        end: () => frozen?.thaw(),
      });
      expectCharged(figures);
      // Connections are replaced, and a process whose commit hangs with the rows of its writer has another writer.
      expect(Object.keys(figures.answers)).toEqual(['200']);
    },
    FAULT_TEST_MS,
  );

  const journaled = changeConfig(filesConfig, { metering: { journal: 'local' } });
  test.each(isLongForm ? (['stopped', 'frozen', 'frozen in a commit'] as const) : (['frozen'] as const))(
    'with a journal, every call is answered while the server is %s, and charged once',
    async (what) => {
      let frozen: Frozen | null = null;
      const stage = await startStage(cluster, () => cluster, journaled);
      const figures = await runFault(stage, {
        name: `PostgreSQL ${what} for ${seconds} s, with a journal`,
        async begin() {
          if (what === 'stopped') await cluster.stop('immediate');
          else if (what === 'frozen') frozen = await freezeServer(databaseUrl, cluster.pid);
          else frozen = await freezeCommit(databaseUrl);
        },
        async end() {
          if (what === 'stopped') await cluster.start();
          frozen?.thaw();
        },
      });
      expect(Object.keys(figures.answers)).toEqual(['200']);
      expect(figures.recorded).toBe(figures.provided);
    },
    FAULT_TEST_MS,
  );

  test(
    'a failover to a synchronous replica loses no charge and doubles none, also if it is reached before it is promoted',
    async () => {
      const proxy = await startTcpProxy({ host: '127.0.0.1', port: cluster.port });
      cleanups.push(() => proxy.stop());
      const replica = await cluster.replicate();
      cleanups.push(() => replica.remove());
      await waitForReplica(cluster);
      const stage = await startStage(proxy, () => replica);
      const figures = await runFault(stage, {
        name: `PostgreSQL fails over to a replica that is promoted after ${seconds} s`,
        async begin() {
          await cluster.stop('immediate');
          proxy.leadTo({ host: '127.0.0.1', port: replica.port });
        },
        end: () => replica.promote(),
      });
      expectCharged(figures);
    },
    FAULT_TEST_MS,
  );
});

function expectCharged({ answers, longestMs, recorded, provided }: FaultFigures): void {
  expect(AWAY).toEqual(expect.arrayContaining(Object.keys(answers)));
  // Somebody noticed it.
  expect(longestMs).toBeGreaterThan(Math.min(OUTAGE_MS, 1_000) / 2);
  expect(recorded).toBe(provided);
}

/** From then on a commit is answered when the replica has it. */
async function waitForReplica(cluster: PostgresCluster): Promise<void> {
  const client = new pg.Client(cluster.url);
  await client.connect();
  await client.query(`alter system set synchronous_standby_names = 'replica'`);
  await client.query('select pg_reload_conf()');
  const look = `select 1 from pg_stat_replication where application_name = 'replica' and sync_state = 'sync'`;
  await expect.poll(async () => (await client.query(look)).rowCount).toBe(1);
  await client.end();
}

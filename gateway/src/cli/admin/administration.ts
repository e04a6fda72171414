/**
 * The ways to run operations of administration: over HTTP as the signed-in person or with a token, in the server of
 * this data folder, or directly on the database.
 */
import { userInfo } from 'node:os';
import { shellActor } from '../../access/actor.ts';
import { askServer } from '../../app/ask-server.ts';
import { loadEnvFiles } from '../../app/env-files.ts';
import { type Flags, findConfig, findDataPlace, type Place } from '../../app/settings.ts';
import type { InputOf, OperationName, ResultOf } from '../../contract/administration/admin-endpoints.ts';
import type { ModelObject } from '../../contract/models.ts';
import type { Database } from '../../database/database.ts';
import { defaultSpaceOf } from '../../demo/demo-space.ts';
import type { UnitValue } from '../../kernel/unit-value.ts';
import type { BilledRoute, BillingOf } from '../../metering/bill-later.ts';
import type { ProviderPrices } from '../../pricing/provider-cost.ts';
import type { CommonFlags } from '../command.ts';
import { dataFolderOf } from '../running-server.ts';
import { withHint } from './hints.ts';
import { hasDatabase, requireDatabase } from './no-installation.ts';
import { findRemote, type Remote } from './remote.ts';

export type RunHere = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  /** Over HTTP, a repeated change with the same key is carried out once; left out: a new key. */
  options?: { readonly repeatKey?: string },
) => Promise<ResultOf<Name>>;

export interface Administration {
  /** The server that is asked over HTTP; null: this installation. */
  readonly server: string | null;
  readonly run: RunHere;
  close(): Promise<void>;
}

/** Finds the way. Throws if there is none, before anything is asked of the person. */
export async function openAdministration(flags: CommonFlags): Promise<Administration> {
  const { server, run, close = () => Promise.resolve() } = await findWay(flags);
  return {
    server,
    close,
    async run(name, given, options) {
      const input = withSpace(given);
      try {
        return await run(name, input, options);
      } catch (error) {
        throw withHint(error, { operation: name, input });
      }
    },
  };
}

interface Way extends Pick<Administration, 'server' | 'run'> {
  close?(): Promise<void>;
}

async function findWay(flags: CommonFlags): Promise<Way> {
  const named = findRemote(flags, process.env, 'named');
  if (named !== null) return overHttp(named);
  const dataFolder = dataFolderOf(flags);
  if ((await askServer(dataFolder, 'ping', {})) !== null) return onSocket(dataFolder);
  const place = await databasePlace(flags);
  const kept = hasDatabase(place) ? null : findRemote(flags, process.env, 'kept');
  if (kept !== null) return overHttp(kept);
  requireDatabase(place, flags);
  return onDatabase(flags, place);
}

/** Loads the shapes of the API only when they are needed, so that a command starts fast. */
function overHttp(remote: Remote): Way {
  return {
    server: remote.url,
    async run(name, input, options) {
      const { administerOver } = await import('./administer-over-http.ts');
      return await administerOver(remote, name, input, options);
    },
  };
}

function onSocket(dataFolder: string): Way {
  return {
    server: null,
    async run<Name extends OperationName>(name: Name, input: InputOf<Name>) {
      const answered = await askServer(dataFolder, name, input as never, operatorName());
      if (answered === null) throw new Error('The server stopped while the command ran');
      return answered.result as ResultOf<Name>;
    },
  };
}

/** Opens the database with the first operation and keeps it open for the others. */
function onDatabase(flags: Flags, place: Place): Way {
  let opened: Promise<Database> | null = null;
  return {
    server: null,
    async run(name, input) {
      const { runOperation } = await import('../../administration/operations.ts');
      const { systemClock: clock } = await import('../../kernel/time.ts');
      opened ??= openPlace(place);
      const models = (spaceName: string) => modelsOf(spaceName, flags);
      const providers = () => providersOf(flags);
      const billing: BillingOf = (route) => billingOf(route, flags);
      const actor = shellActor(operatorName(), defaultSpaceOf(findConfig(flags, process.env)));
      const unitValue = () => unitValueOf(flags);
      const context = { db: await opened, clock, actor, models, providers, billing, unitValue };
      return await runOperation(context, name, input);
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

async function openPlace({ databaseUrl, dataFolder: folder }: Place): Promise<Database> {
  const { openDatabase } = await import('../../database/open-database.ts');
  const { migrate } = await import('../../database/migrate.ts');
  const { recoverCalls } = await import('../../metering/recover-calls.ts');
  const { systemClock: clock } = await import('../../kernel/time.ts');
  const db = await openDatabase({ url: databaseUrl?.reveal() ?? null, folder, clock });
  try {
    await migrate(db, clock);
    await recoverCalls(db, { folder, clock });
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function modelsOf(spaceName: string, flags: Flags): Promise<readonly ModelObject[]> {
  const { modelsIn } = await import('../../app/describe-installation.ts');
  const { readInstallation } = await import('../read-installation.ts');
  const { catalog } = await readInstallation(flags);
  const { systemClock: clock } = await import('../../kernel/time.ts');
  return await modelsIn(() => catalog, clock)(spaceName);
}

async function providersOf(flags: Flags): Promise<readonly string[] | null> {
  const { readInstallation } = await import('../read-installation.ts');
  const installation = await readInstallation(flags).catch(() => null);
  return installation?.catalog.providers.map(({ name }) => name) ?? null;
}

/** Null without a readable configuration: what a provider charges is only an addition. */
async function billingOf(route: BilledRoute, flags: Flags): Promise<ProviderPrices | null> {
  const { billingIn } = await import('../../app/describe-installation.ts');
  const { readInstallation } = await import('../read-installation.ts');
  const installation = await readInstallation(flags).catch(() => null);
  return installation === null ? null : await billingIn(() => installation.catalog)(route);
}

/** Null without a readable configuration: what units are worth is only an addition. */
async function unitValueOf(flags: Flags): Promise<UnitValue | null> {
  const { readInstallation } = await import('../read-installation.ts');
  const installation = await readInstallation(flags).catch(() => null);
  return installation?.catalog.unitValue ?? null;
}

/** `--space`, or else TOLLGATE_SPACE, where the operation belongs to a space. */
function withSpace<Input extends object>(input: Input): Input {
  if (!('space' in input) || input.space !== undefined) return input;
  const space = process.env.TOLLGATE_SPACE || undefined;
  return { ...input, space };
}

/** Anyone who can open the data folder is an operator; the audit log records which system user it was. */
function operatorName(): string {
  return `operator:${userInfo().username}`;
}

/** The configuration file may name the database; nothing else in it matters here. */
export async function databasePlace(flags: Flags): Promise<Place> {
  loadEnvFiles(flags);
  const { file, demo } = findConfig(flags, process.env);
  if (demo || process.env.DATABASE_URL) return findDataPlace(flags, process.env);
  const { readContent } = await import('../../app/read-config.ts');
  return findDataPlace(flags, process.env, readContent(file, process.env));
}

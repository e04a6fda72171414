/**
 * Runs an operation of administration: over HTTP as the signed-in person or with a token, in the server of this data
 * folder, or directly on the database.
 */
import { userInfo } from 'node:os';
import { shellActor } from '../../access/actor.ts';
import { askServer } from '../../app/admin-socket.ts';
import { type Flags, findConfig, findDataPlace, type Place } from '../../app/settings.ts';
import type { InputOf, OperationName, ResultOf } from '../../contract/administration/admin-endpoints.ts';
import { type CommonFlags, option } from '../command.ts';
import { dataFolderOf } from '../running-server.ts';
import { hasDatabase, requireDatabase } from './no-installation.ts';
import { findRemote, type Remote } from './remote.ts';

/** Taken by every command that works in one space. */
export const space = option('<name>', 'the space (TOLLGATE_SPACE; may be left out when there is only one)');

export async function administer<Name extends OperationName>(
  name: Name,
  given: InputOf<Name>,
  flags: CommonFlags,
): Promise<ResultOf<Name>> {
  const input = withSpace(given);
  const named = findRemote(flags, process.env, 'named');
  if (named !== null) return await overHttp(named, name, input);
  const answered = await askServer(dataFolderOf(flags), name, input as never, operatorName());
  if (answered !== null) return answered.result as ResultOf<Name>;
  const place = await placeOf(flags);
  const kept = hasDatabase(place) ? null : findRemote(flags, process.env, 'kept');
  if (kept !== null) return await overHttp(kept, name, input);
  // Before anything is loaded, so that a command in the wrong folder says so at once.
  requireDatabase(place, flags);
  return await onDatabase(name, input, { flags, place });
}

/** Loads the shapes of the API only now. */
async function overHttp<Name extends OperationName>(
  remote: Remote,
  name: Name,
  input: InputOf<Name>,
): Promise<ResultOf<Name>> {
  const { administerOver } = await import('./administer-over-http.ts');
  return await administerOver(remote, name, input);
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

/** Loads what it needs only now: with a server running, a command should start fast. */
async function onDatabase<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  { flags, place }: { flags: Flags; place: Place },
): Promise<ResultOf<Name>> {
  const { runOperation } = await import('../../administration/operations.ts');
  const { openDatabase } = await import('../../database/open-database.ts');
  const { migrate } = await import('../../database/migrate.ts');
  const { systemClock: clock } = await import('../../kernel/time.ts');
  const db = await openDatabase({
    url: place.databaseUrl?.reveal() ?? null,
    folder: place.dataFolder,
    clock,
  });
  try {
    await migrate(db, clock);
    const { modelsIn } = await import('../../app/describe-installation.ts');
    const models = async (spaceName: string) => {
      const { readInstallation } = await import('../read-installation.ts');
      const { catalog } = await readInstallation(flags);
      return await modelsIn(() => catalog)(spaceName);
    };
    const actor = shellActor(operatorName());
    return await runOperation({ db, clock, actor, models }, name, input);
  } finally {
    await db.close();
  }
}

/** The configuration file may name the database; nothing else in it matters here. */
async function placeOf(flags: Flags): Promise<Place> {
  const { file, demo } = findConfig(flags, process.env);
  if (demo || process.env.DATABASE_URL) return findDataPlace(flags, process.env);
  const { readConfig } = await import('../../app/catalog-source.ts');
  return findDataPlace(flags, process.env, readConfig(file, process.env).content);
}

/** Reads what there is now, for as much as the file names: a section that is left out is not read. */
import type { ResultOf } from '../../../contract/administration/admin-endpoints.ts';
import type { RuleName } from '../../../contract/administration/rules/find-rules.ts';
import { readPages } from '../admin-command.ts';
import type { Administration } from '../administration.ts';
import type { SpaceEntry, StateFile } from './state-file.ts';

export type CurrentKey = Pick<
  ResultOf<'keys.list'>['data'][number],
  'name' | 'kind' | 'owner' | 'state' | RuleName<'key'>
>;
export type CurrentWorkload = Pick<
  ResultOf<'workloads.list'>['data'][number],
  'id' | 'key_name' | 'issuer' | 'subject' | 'claims'
>;
export type CurrentMember = Pick<
  ResultOf<'members.list'>['data'][number],
  'email' | 'nickname' | 'role' | RuleName<'member'>
>;
export type CurrentGrant = Pick<
  ResultOf<'grants.list'>['data'][number],
  'id' | 'kind' | 'amount' | 'expires_at' | 'note'
>;
export type CurrentAlias = Pick<ResultOf<'aliases.list'>['data'][number], 'name' | 'model'>;
export type CurrentBudget = Pick<
  ResultOf<'budgets.list'>['data'][number],
  'name' | 'key' | 'member' | 'model' | 'end_user' | 'session' | 'tags' | 'per' | 'window' | 'amount' | 'hard'
>;
export type CurrentIds = Pick<ResultOf<'projectIds.list'>['data'][number], 'ids' | 'state'>;
export type CurrentProject = Pick<ResultOf<'projects.list'>['data'][number], 'id' | 'name'>;
export type CurrentSettings = Pick<ResultOf<'spaces.get'>, RuleName<'space'>>;

export interface CurrentSpace {
  readonly settings: CurrentSettings;
  /** Null: the file does not name the section. */
  readonly members: readonly CurrentMember[] | null;
  readonly keys: readonly CurrentKey[] | null;
  /** Null: no key of the file has any. */
  readonly workloads: readonly CurrentWorkload[] | null;
  readonly grants: readonly CurrentGrant[] | null;
  /** Its own, without those of the configuration. */
  readonly aliases: readonly CurrentAlias[] | null;
  readonly budgets: readonly CurrentBudget[] | null;
  readonly projectIds: readonly CurrentIds[] | null;
  readonly projects: readonly CurrentProject[] | null;
}

/** The spaces that the caller can see, by name; null: the file does not name it. */
export type CurrentState = ReadonlyMap<string, CurrentSpace | null>;

export async function readCurrentState(
  administration: Administration,
  { spaces }: StateFile,
): Promise<CurrentState> {
  const state = new Map<string, CurrentSpace | null>();
  for (const settings of await everything(administration, 'spaces.list', {})) {
    const entry = Object.hasOwn(spaces, settings.name) ? spaces[settings.name] : undefined;
    const current = entry === undefined ? null : await readSpace(administration, settings, entry);
    state.set(settings.name, current);
  }
  return state;
}

async function readSpace(
  administration: Administration,
  settings: CurrentSettings & { name: string },
  entry: SpaceEntry,
): Promise<CurrentSpace> {
  const of = { space: settings.name };
  // The owner of a personal key has to be a member.
  const needsMembers =
    entry.members !== undefined || Object.values(entry.keys ?? {}).some(({ owner }) => owner);
  const needsWorkloads = Object.values(entry.keys ?? {}).some(({ workloads }) => workloads !== undefined);
  return {
    settings,
    members: needsMembers ? await everything(administration, 'members.list', of) : null,
    keys: entry.keys === undefined ? null : await everything(administration, 'keys.list', of),
    workloads: needsWorkloads ? await everything(administration, 'workloads.list', of) : null,
    grants: entry.grants === undefined ? null : await everything(administration, 'grants.list', of),
    aliases: entry.aliases === undefined ? null : await ownAliases(administration, of),
    budgets: entry.budgets === undefined ? null : (await administration.run('budgets.list', of)).data,
    projectIds:
      entry.project_ids === undefined ? null : await everything(administration, 'projectIds.list', of),
    projects: entry.projects === undefined ? null : await everything(administration, 'projects.list', of),
  };
}

async function ownAliases(administration: Administration, of: { space: string }): Promise<CurrentAlias[]> {
  const { data } = await administration.run('aliases.list', of);
  return data.filter(({ source }) => source === 'space');
}

async function everything<Name extends Parameters<typeof readPages>[1]>(
  administration: Administration,
  operation: Name,
  input: Parameters<typeof readPages<Name>>[2],
) {
  return (await readPages(administration, operation, input, null)).items;
}

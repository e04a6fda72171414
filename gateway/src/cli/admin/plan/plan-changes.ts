/** Compares the file with what there is, and lists the changes in the order in which they can be made. Pure. */
import type { Instant } from '../../../kernel/time.ts';
import { type Change, notInFile, type Plan, step } from './change.ts';
import type { CurrentSettings, CurrentState } from './current-state.ts';
import { planAliases } from './plan-aliases.ts';
import { planBudgets } from './plan-budgets.ts';
import { planGrants } from './plan-grants.ts';
import { planKeys } from './plan-keys.ts';
import { ownersAfter, planMembers } from './plan-members.ts';
import { planProjectIds } from './plan-project-ids.ts';
import { planProjects } from './plan-projects.ts';
import { planRules } from './plan-rules.ts';
import { planWorkloads } from './plan-workloads.ts';
import type { SpaceEntry, StateFile } from './state-file.ts';

export function planChanges({ spaces }: StateFile, current: CurrentState, now: Instant): Plan {
  const plans = Object.entries(spaces).map(([name, entry]) => planSpace(name, entry, current, now));
  const unknown = [...current.keys()].filter((name) => !Object.hasOwn(spaces, name));
  return joined([
    ...plans,
    { changes: [], drift: unknown.flatMap((name) => notInFile('space', name, [name])), mistakes: [] },
  ]);
}

function joined(plans: readonly Plan[]): Plan {
  return {
    changes: plans.flatMap(({ changes }) => changes),
    drift: plans.flatMap(({ drift }) => drift),
    mistakes: plans.flatMap(({ mistakes }) => mistakes),
  };
}

/** A section that the file leaves out is left alone. */
const NOTHING: Plan = { changes: [], drift: [], mistakes: [] };

function planSpace(space: string, entry: SpaceEntry, state: CurrentState, now: Instant): Plan {
  const current = state.get(space) ?? null;
  const path = ['spaces', space];
  const members = planMembers(entry.members ?? {}, current?.members ?? [], {
    space,
    path: [...path, 'members'],
    now,
  });
  // A personal key needs its owner, and a removed member takes their keys along.
  const [removals, others] = [
    members.changes.filter(isRemoval),
    members.changes.filter((one) => !isRemoval(one)),
  ];
  const owners = ownersAfter(entry.members ?? {}, current?.members ?? []);
  const projectIds = planProjectIds(entry.project_ids ?? {}, current?.projectIds ?? [], {
    space,
    path: [...path, 'project_ids'],
    projects: entry.projects ?? {},
  });
  const workloads = planWorkloads(entry.keys ?? {}, current?.workloads ?? [], {
    space,
    path: [...path, 'keys'],
    keys: current?.keys ?? [],
  });
  const keysAt = { space, path: [...path, 'keys'], now, owners };
  return joined([
    spacePlan(space, entry, current?.settings ?? null, now),
    { ...members, changes: others, drift: entry.members === undefined ? [] : members.drift },
    workloads.removed,
    entry.keys === undefined ? NOTHING : planKeys(entry.keys, current?.keys ?? [], keysAt),
    workloads.added,
    entry.grants === undefined
      ? NOTHING
      : planGrants(entry.grants, current?.grants ?? [], { space, path: [...path, 'grants'], now }),
    entry.aliases === undefined
      ? NOTHING
      : planAliases(entry.aliases, current?.aliases ?? [], { space, path: [...path, 'aliases'] }),
    // After the keys and members whose calls they count.
    entry.budgets === undefined
      ? NOTHING
      : planBudgets(entry.budgets, current?.budgets ?? [], { space, path: [...path, 'budgets'] }),
    entry.project_ids === undefined ? NOTHING : projectIds.given,
    entry.projects === undefined
      ? NOTHING
      : planProjects(entry.projects, current?.projects ?? [], { space, path: [...path, 'projects'] }),
    entry.project_ids === undefined ? NOTHING : projectIds.released,
    { changes: removals, drift: [], mistakes: [] },
  ]);
}

function isRemoval({ action }: Change): boolean {
  return action === 'remove';
}

function spacePlan(space: string, entry: SpaceEntry, current: CurrentSettings | null, now: Instant): Plan {
  const { overage = false } = entry;
  const about = { subject: 'space', space, name: space } as const;
  const { changed, mistakes, steps, ...rules } = planRules(
    'space',
    { ...entry, ...(current === null && { overage }) },
    current ?? { overage_allowed: overage },
    { named: { space }, path: ['spaces', space], now },
  );
  const created: Change = {
    ...about,
    action: 'create',
    fields: rules.given,
    steps: [step('spaces.create', { name: space, overage }), ...steps],
  };
  const updated: Change[] =
    changed.length === 0 ? [] : [{ ...about, action: 'update', fields: changed, steps }];
  return { changes: current === null ? [created] : updated, drift: [], mistakes };
}

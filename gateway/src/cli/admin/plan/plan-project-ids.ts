/** Compares the ids of projects that a space has with the file. Pure. */
import { type Change, notInFile, type Plan, step } from './change.ts';
import type { CurrentIds } from './current-state.ts';
import type { FieldPath, Mistake } from './read-state-file.ts';
import type { ProjectEntry, ProjectIdsEntry } from './state-file.ts';

interface ProjectIdsAt {
  readonly space: string;
  readonly path: FieldPath;
  /** What the file says about projects: an id is released after its project is removed. */
  readonly projects: Readonly<Record<string, ProjectEntry>>;
}

/** Projects are added after `given`, and removed before `released`. */
export function planProjectIds(
  entries: Readonly<Record<string, ProjectIdsEntry>>,
  current: readonly CurrentIds[],
  { space, path, projects }: ProjectIdsAt,
): { given: Plan; released: Plan } {
  const held = new Map(current.map((row) => [row.ids, row.state]));
  const [given, released]: [Change[], Change[]] = [[], []];
  const mistakes: Mistake[] = [];
  for (const [ids, { state }] of Object.entries(entries)) {
    const about = { subject: 'project ids', space, name: ids, fields: [] } as const;
    if (state !== 'absent') {
      const steps = [step('projectIds.give', { space, ids })];
      if (!held.has(ids)) given.push({ ...about, action: 'create', steps });
      continue;
    }
    const entry = Object.hasOwn(projects, ids) ? projects[ids] : undefined;
    const isUsed = entry === undefined ? held.get(ids) === 'used' : entry.state !== 'absent';
    if (isUsed) mistakes.push({ path: [...path, ids], message: 'is the id of a project. Remove it first.' });
    const steps = [step('projectIds.release', { space, ids })];
    if (held.has(ids)) released.push({ ...about, action: 'remove', steps });
  }
  const unknown = current.filter(({ ids, state }) => state === 'given' && !Object.hasOwn(entries, ids));
  const drift = notInFile(
    'project ids',
    space,
    unknown.map(({ ids }) => ids),
  );
  return {
    given: { changes: given, drift, mistakes },
    released: { changes: released, drift: [], mistakes: [] },
  };
}

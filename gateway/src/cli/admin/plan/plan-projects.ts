/** Compares the projects of a space with the file. Pure. */
import { type Change, differing, given, notInFile, type Plan, step } from './change.ts';
import type { CurrentProject } from './current-state.ts';
import type { FieldPath, Mistake } from './read-state-file.ts';
import type { ProjectEntry } from './state-file.ts';

interface ProjectsAt {
  readonly space: string;
  readonly path: FieldPath;
}

export function planProjects(
  entries: Readonly<Record<string, ProjectEntry>>,
  current: readonly CurrentProject[],
  { space, path }: ProjectsAt,
): Plan {
  const projects = new Map(current.map((project) => [project.id, project]));
  const removals: Change[] = [];
  const named: Change[] = [];
  for (const [id, entry] of Object.entries(entries)) {
    const project = projects.get(id);
    if (entry.state === 'absent') {
      const steps = [step('projects.remove', { space, project: id })];
      if (project !== undefined)
        removals.push({ action: 'remove', subject: 'project', space, name: id, fields: [], steps });
    } else if (project === undefined) {
      const { name = id } = entry;
      const steps = [step('projects.add', { space, id, name })];
      named.push({
        action: 'create',
        subject: 'project',
        space,
        name: id,
        fields: given({ name }, ['name']),
        steps,
      });
    } else {
      const fields = differing(entry, project, ['name']);
      const steps = [step('projects.rename', { space, project: id, name: entry.name as string })];
      if (fields.length > 0)
        named.push({ action: 'update', subject: 'project', space, name: id, fields, steps });
    }
  }
  const removed = new Set(removals.map(({ name }) => name));
  const kept = current.filter(({ id }) => !removed.has(id));
  const { ordered, mistakes } = inOrder(named, kept, path);
  const unknown = current.map(({ id }) => id).filter((id) => !Object.hasOwn(entries, id));
  return { changes: [...removals, ...ordered], drift: notInFile('project', space, unknown), mistakes };
}

/** A name is unique in its space, so a project gets a name only after the one that has it now has given it up. */
function inOrder(
  changes: readonly Change[],
  current: readonly CurrentProject[],
  path: FieldPath,
): { ordered: Change[]; mistakes: Mistake[] } {
  const holders = new Map(current.map(({ id, name }) => [name, id]));
  const ordered: Change[] = [];
  let waiting = [...changes];
  for (;;) {
    const next = waiting.find((change) => !holders.has(nameAfter(change)));
    if (next === undefined) break;
    waiting = waiting.filter((change) => change !== next);
    for (const [name, id] of holders) if (id === next.name) holders.delete(name);
    holders.set(nameAfter(next), next.name);
    ordered.push(next);
  }
  const mistakes = waiting.map((change) => ({
    path: [...path, change.name, 'name'],
    message: `${JSON.stringify(nameAfter(change))} is the name of the project ${holders.get(nameAfter(change))}. Names are unique in a space.`,
  }));
  return { ordered, mistakes };
}

function nameAfter({ fields }: Change): string {
  return fields[0]?.after as string;
}

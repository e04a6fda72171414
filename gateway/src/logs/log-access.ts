/**
 * Which logs a person may read: those of the projects in their spaces, and an operator also that of the gateway itself.
 * Other projects answer 404.
 */
import { type Person, roleIn } from '../access/person.ts';
import { type Build, findBuild, findProject, type Project } from '../access/projects.store.ts';
import { PROJECT_ID } from '../contract/administration/fields.ts';
import { OWN_PROJECT } from '../contract/administration/words.ts';
import type { Database } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { whenAvailable } from '../kernel/when-available.ts';

export class LogAccess {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async project(person: Person, id: string): Promise<Pick<Project, 'id'>> {
    if (id === OWN_PROJECT && person.isOperator) return { id };
    const project = PROJECT_ID.test(id) ? await reached(() => findProject(this.#db, id)) : null;
    if (project !== null && roleIn(person, project.spaceId) !== null) return project;
    throw new Problem('project_not_found');
  }

  async build(person: Person, id: string): Promise<Build> {
    const build = isId('bld', id) ? await reached(() => findBuild(this.#db, id)) : null;
    if (build !== null && roleIn(person, build.spaceId) !== null) return build;
    throw new Problem('build_not_found');
  }
}

function reached<T>(work: () => Promise<T>): Promise<T> {
  return whenAvailable(work, { detail: 'Projects cannot be looked up at the moment.' });
}

/**
 * What an operator can do, as functions of the database: the running server offers them on its local
 * socket, and the CLI calls them directly when no server runs. Answers are plain JSON.
 */
import { batchCommands } from './admin/batches.ts';
import type { AdminCommands } from './admin/command.ts';
import { keyCommands } from './admin/keys.ts';
import { memberCommands } from './admin/members.ts';
import { peopleCommands } from './admin/people.ts';
import { projectCommands } from './admin/projects.ts';
import { reportCommands } from './admin/reports.ts';
import { spaceCommands } from './admin/spaces.ts';
import { unitCommands } from './admin/units.ts';

export const adminCommands: AdminCommands = {
  ...spaceCommands,
  ...memberCommands,
  ...keyCommands,
  ...unitCommands,
  ...reportCommands,
  ...batchCommands,
  ...peopleCommands,
  ...projectCommands,
};

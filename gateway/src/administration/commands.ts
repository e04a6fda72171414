/**
 * What an operator can do, as functions of the database: the running server offers them on its local
 * socket, and the CLI calls them directly when no server runs. Answers are plain JSON.
 */
import { batchCommands } from './batches.ts';
import type { AdminCommands } from './command.ts';
import { keyCommands } from './keys.ts';
import { memberCommands } from './members.ts';
import { peopleCommands } from './people.ts';
import { projectCommands } from './projects.ts';
import { reportCommands } from './reports.ts';
import { spaceCommands } from './spaces.ts';
import { unitCommands } from './units.ts';

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

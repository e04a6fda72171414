/** `reports`: what was charged for other tools, and beside it what providers bill. */
import { group } from '../command.ts';
import { marginCommand } from './margin.ts';
import { focusCommand } from './statements.ts';

export const reportCommands = group({
  name: 'reports',
  help: 'export what was charged, and show what providers bill beside it',
  commands: [focusCommand, marginCommand],
});

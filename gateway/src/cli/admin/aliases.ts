/** `aliases`: other names for models. */
import { argument, group } from '../command.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

const alias = argument('<name>', 'the name that callers send as model');

const list = listCommand('aliases.list', {
  help: 'list the aliases of a space, and those of the configuration',
  examples: ['tollgate aliases list --space acme'],
  options: { space },
  columns: ['name', 'model', 'source', 'works'],
  empty: 'No aliases yet. Add one with "tollgate aliases set NAME MODEL".',
  whole: true,
});

const set = adminCommand('aliases.set', {
  help: 'add an alias to a space, or point it at another model',
  examples: ['tollgate aliases set fast gpt-5-mini --space acme'],
  arguments: { alias, model: argument('<model>', 'the code of the model that answers') },
  options: { space },
});

const remove = adminCommand('aliases.remove', {
  help: 'remove an alias from a space',
  examples: ['tollgate aliases remove fast --space acme'],
  arguments: { alias },
  options: { space },
});

export const aliasCommands = group({
  name: 'aliases',
  help: 'manage aliases, the names that a space gives to models',
  commands: [list, set, remove],
});

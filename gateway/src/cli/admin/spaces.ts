/** `spaces`: the tenants of the installation. */
import { argument, flag, group, option } from '../command.ts';
import { printFields, printJson, printRows } from '../print.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { ruleCommands } from './rule-commands.ts';

const space = argument('<name>', 'the name of the space');

const create = adminCommand('spaces.create', {
  help: 'create a space',
  examples: ['tollgate spaces create acme --overage'],
  arguments: { name: space },
  options: { overage: flag('let it use more units than it holds') },
});

const list = listCommand('spaces.list', {
  help: 'list the spaces with the units they hold and owe',
  examples: ['tollgate spaces list', 'tollgate spaces list --search ac -o wide'],
  columns: ['name', 'held', 'overage', 'overage_allowed', 'blocked', 'keeps_responses', 'kept_responses'],
  empty: 'No spaces yet. Create one with "tollgate spaces create NAME".',
});

const get = adminCommand('spaces.get', {
  help: 'show the settings and the balance of a space',
  examples: ['tollgate spaces get acme'],
  arguments: { space },
});

const overview = adminCommand('spaces.overview', {
  help: 'show the state of a space at a glance: balance, usage of this month, last errors',
  examples: ['tollgate spaces overview acme'],
  arguments: { space },
  print({ space, month, days, last_errors }, flags) {
    if (flags.json) {
      printJson({ space, month, days, last_errors });
      return;
    }
    printFields({ ...space, ...month });
    process.stdout.write('\n');
    printRows(
      last_errors.map(({ id, started_at, status, problem }) => ({ id, started_at, status, problem })),
      {
        empty: 'No errors.',
      },
    );
  },
});

const models = listCommand('models.list', {
  name: 'models',
  help: 'list the models of a space',
  examples: ['tollgate spaces models acme'],
  arguments: { space },
  columns: ['id', 'supports_batch', 'endpoints', 'capabilities'],
  empty: 'No models.',
  whole: true,
});

const rules = ruleCommands('space', { argument: { space }, example: 'acme' });

const invoice = adminCommand('spaces.invoice', {
  help: 'invoice the overage of a space, which starts again at zero',
  examples: ["tollgate spaces invoice acme --note '2026-11/17'"],
  arguments: { space },
  options: { note: option('<text>', 'the number of the invoice in your own books') },
});

export const spaceCommands = group({
  name: 'spaces',
  help: 'manage spaces, the tenants of the installation',
  commands: [create, list, get, overview, models, ...rules, invoice],
});

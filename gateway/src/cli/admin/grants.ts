/** `grants`: the units of a space. */
import { argument, command, group, option } from '../command.ts';
import { printRows } from '../print.ts';
import { amount, oneOf, time } from '../words.ts';
import { administer, administerAndPrint, space } from './administer.ts';

const add = command({
  name: 'add',
  help: 'grant units to a space',
  arguments: { amount: argument('<amount>', 'how many units, as a decimal number', amount) },
  options: {
    space,
    kind: option('<kind>', 'paid, or promo (spent first, may expire)', {
      read: oneOf(['paid', 'promo']),
      default: 'paid',
    }),
    expires: option('<date>', 'for promo units: the last day (YYYY-MM-DD, KST), or a moment', { read: time }),
    note: option('<text>', 'what the grant is for'),
  },
  run: (input, flags) => administerAndPrint('grants.add', input, flags),
});

const list = command({
  name: 'list',
  help: 'list grants and what remains of each',
  options: { space },
  async run(input, flags) {
    const empty = 'No units yet. Grant some with "tollgate grants add AMOUNT".';
    printRows(await administer('grants.list', input, flags), { json: flags.json, empty });
  },
});

export const grantCommands = group({
  name: 'grants',
  help: 'grant units to a space',
  commands: [add, list],
});

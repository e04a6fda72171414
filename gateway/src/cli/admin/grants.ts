/** `grants`: the units of a space. */
import { argument, group, option } from '../command.ts';
import { amount, oneOf, time } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

const add = adminCommand('grants.add', {
  help: 'grant units to a space',
  examples: [
    "tollgate grants add 1000 --space acme --note 'invoice 2026-11'",
    'tollgate grants add 5 --kind promo --expires 2026-12-31',
  ],
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
});

const list = listCommand('grants.list', {
  help: 'list grants and what remains of each',
  examples: ['tollgate grants list --space acme'],
  options: { space },
  columns: ['id', 'kind', 'amount', 'remaining', 'expires_at', 'note'],
  empty: 'No units yet. Grant some with "tollgate grants add AMOUNT".',
});

export const grantCommands = group({
  name: 'grants',
  help: 'grant units to a space',
  commands: [add, list],
});

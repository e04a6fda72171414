/** `batches`: the batches of all spaces, for operators. */
import { argument, command, group, option } from '../command.ts';
import { printRows } from '../print.ts';
import { oneOf, wholeNumber } from '../words.ts';
import { administer, administerAndPrint } from './administer.ts';

const SETTLEMENT = ['pending', 'queued', 'processing', 'settling', 'settled', 'quarantined'] as const;

const list = command({
  name: 'list',
  help: 'list batches, newest first',
  options: {
    space: option('<name>', 'only batches of this space'),
    settlement: option('<status>', `only batches with this settlement status: ${SETTLEMENT.join(', ')}`, {
      read: oneOf(SETTLEMENT),
    }),
    limit: option('<batches>', 'how many batches to show', { read: wholeNumber, default: 20 }),
  },
  async run(input, flags) {
    printRows(await administer('batches.list', input, flags), { json: flags.json, empty: 'No batches.' });
  },
});

const requeue = command({
  name: 'requeue',
  help: 'settle a quarantined batch again, after its cause was fixed',
  arguments: { id: argument('<id>', 'the id of the batch') },
  run: ({ id }, flags) => administerAndPrint('batches.requeue', { id }, flags),
});

export const batchesCommands = group({
  name: 'batches',
  help: 'list the batches of all spaces, and settle quarantined ones',
  commands: [list, requeue],
});

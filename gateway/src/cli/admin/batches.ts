/** `batches`: as their owner runs them, and as an administrator sees them. */
import { ownBatchCommands } from '../client/batch.ts';
import { argument, group } from '../command.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

const list = listCommand('batches.list', {
  help: 'list the batches of a space, newest first',
  examples: ['tollgate batches list --space acme', 'tollgate batches list --settlement quarantined -o wide'],
  options: { space },
  columns: [
    'id',
    'status',
    'settlement',
    'units',
    'model',
    'total',
    'completed',
    'failed',
    'created_at',
    'reason',
  ],
  empty: 'No batches.',
});

const get = adminCommand('batches.get', {
  help: 'show one batch: its progress, its charge and its result files',
  examples: ['tollgate batches get batch_01k9x3v7q2m5n8r4t6w0y1z2a3'],
  arguments: { batch: argument('<id>', 'the id of the batch') },
  options: { space },
});

const quarantined = listCommand('quarantine.list', {
  name: 'quarantined',
  help: 'list the batches of all spaces whose settlement is quarantined',
  examples: ['tollgate batches quarantined'],
  columns: ['id', 'space', 'model', 'reason', 'created_at'],
  empty: 'No batch is quarantined.',
});

const requeue = adminCommand('batches.requeue', {
  help: 'settle a quarantined batch again, after its cause was fixed',
  examples: ['tollgate batches requeue batch_01j9x8w7v6t5s4r3q2p1n0m9k8'],
  arguments: { batch: argument('<id>', 'the id of the batch') },
});

export const batchesCommands = group({
  name: 'batches',
  help: 'check, submit, watch and download batches; list them and settle quarantined ones',
  commands: {
    'Run a batch (with a key in TOLLGATE_KEY):': ownBatchCommands,
    'Administer:': [list, get, quarantined, requeue],
  },
});

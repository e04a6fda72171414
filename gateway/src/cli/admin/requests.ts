/** `requests`: the calls of a space, and the receipt of one. */
import { argument, group } from '../command.ts';
import { printJson } from '../print.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';
import { printExplanation } from './why.ts';

const list = listCommand('requests.list', {
  help: 'list requests, newest first',
  examples: ['tollgate requests list --status failed', 'tollgate requests list --key ci --from 2026-11-01'],
  options: { space },
  columns: [
    'id',
    'status',
    'model',
    'cost',
    'started_at',
    'key',
    'duration_ms',
    'input_tokens',
    'output_tokens',
    'problem',
  ],
  empty: 'No requests.',
});

const get = adminCommand('requests.get', {
  help: 'show one request: its receipt, or why it was rejected',
  examples: ['tollgate requests get req_01k9x3v7q2m5n8r4t6w0y1z2a3'],
  arguments: { request: argument('<id>', 'the id of the request') },
  options: { space },
  print(explanation, flags) {
    if (flags.json) printJson(explanation);
    else printExplanation(explanation);
  },
});

export const requestCommands = group({
  name: 'requests',
  help: 'list the requests of a space, and show the receipt of one',
  commands: [list, get],
});

/** `requests`: the calls of a space, and the receipt of one. */
import { requestStatuses } from '../../contract/administration/words.ts';
import { argument, group, option } from '../command.ts';
import { printJson } from '../print.ts';
import { oneOf, time } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';
import { printExplanation } from './why.ts';

const list = listCommand('requests.list', {
  name: 'list',
  help: 'list requests, newest first',
  examples: ['tollgate requests list --status failed', 'tollgate requests list --key ci --from 2026-11-01'],
  options: {
    space,
    status: option('<status>', `only ${requestStatuses.join(', ')} requests`, {
      read: oneOf(requestStatuses),
    }),
    model: option('<code>', 'only requests to this model'),
    key: option('<name>', 'only requests of this key'),
    keyId: option('<id>', 'only requests of the key with this id, also if it is revoked'),
    email: option('<email>', 'only requests of this member'),
    endpoint: option('<kind>', 'only calls of this kind: chat, responses, messages, embeddings, images'),
    from: option('<date>', 'only requests from this moment on', { read: time }),
    until: option('<date>', 'only requests before this moment', { read: time }),
    id: option('<id>', 'only the request with this id'),
    minCost: option('<units>', 'only requests that cost at least this much'),
  },
  input: ({ minCost, keyId, ...filters }) => ({ ...filters, key_id: keyId, min_cost: minCost }),
  columns: [
    ...(['id', 'status', 'model', 'cost', 'started_at', 'key', 'duration_ms'] as const),
    ...(['input_tokens', 'output_tokens', 'problem'] as const),
  ],
  empty: 'No requests.',
});

const get = adminCommand('requests.get', {
  name: 'get',
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

/** `spaces`: the tenants of the installation. */
import { argument, command, flag, group, option } from '../command.ts';
import { printRows } from '../print.ts';
import { onOff } from '../words.ts';
import { administer, administerAndPrint } from './administer.ts';
import { rateInput, rateOptions } from './keys.ts';

const space = argument('<name>', 'the name of the space');

const create = command({
  name: 'create',
  help: 'create a space',
  arguments: { name: space },
  options: { overage: flag('let it use more units than it holds') },
  run: (input, flags) => administerAndPrint('spaces.create', input, flags),
});

const list = command({
  name: 'list',
  help: 'list the spaces with the units they hold and owe',
  async run(_, flags) {
    const empty = 'No spaces yet. Create one with "tollgate spaces create NAME".';
    printRows(await administer('spaces.list', {}, flags), { json: flags.json, empty });
  },
});

const overage = command({
  name: 'overage',
  help: 'allow a space to use more units than it holds, or not',
  arguments: { space, allowed: argument('<on|off>', 'on to allow it', onOff) },
  run: (input, flags) => administerAndPrint('spaces.overage', input, flags),
});

const keepResponses = command({
  name: 'keep-responses',
  help: 'keep responses for 30 days so that later calls can refer to them, or not',
  arguments: { space, keep: argument('<on|off>', 'on to keep them', onOff) },
  run: (input, flags) => administerAndPrint('spaces.keepResponses', input, flags),
});

const block = command({
  name: 'block',
  help: 'reject every call of a space that costs units, or accept them again',
  arguments: { space, blocked: argument('<on|off>', 'on to block the space', onOff) },
  run: (input, flags) => administerAndPrint('spaces.block', input, flags),
});

const rate = command({
  name: 'rate',
  help: 'set the per-minute rate limits of a space, for all its keys together',
  arguments: { space },
  options: rateOptions(),
  async run({ requests, tokens, ...input }, flags) {
    await administerAndPrint('spaces.rate', { ...input, ...rateInput({ requests, tokens }) }, flags);
  },
});

const invoice = command({
  name: 'invoice',
  help: 'invoice the overage of a space, which starts again at zero',
  arguments: { space },
  options: { note: option('<text>', 'the number of the invoice in your own books') },
  run: (input, flags) => administerAndPrint('spaces.invoice', input, flags),
});

export const spaceCommands = group({
  name: 'spaces',
  help: 'manage spaces, the tenants of the installation',
  commands: [create, list, overage, keepResponses, block, rate, invoice],
});

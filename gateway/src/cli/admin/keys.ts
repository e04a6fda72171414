/** `keys`: the keys of a space and what each may do. */
import type { InputOf } from '../../administration/operations.ts';
import { SettingsError } from '../../app/settings.ts';
import { argument, type CommonFlags, command, group, option } from '../command.ts';
import { printFields, printRows, type Row } from '../print.ts';
import { amount, listOrAll, oneOf, orNone, timeOrNow, wholeNumber } from '../words.ts';
import { administer, administerAndPrint, space } from './administer.ts';

const name = argument('<name>', 'the name of the key');
const days = option('<days>', 'how many days the secret is valid', { read: wholeNumber, default: 90 });

const create = command({
  name: 'create',
  help: 'create a key (shown once)',
  arguments: { name },
  options: {
    space,
    kind: option('<kind>', 'shared, personal (with --email), or management (mk_)', {
      read: oneOf(['personal', 'shared', 'management']),
      default: 'shared',
    }),
    email: option('<email>', 'the owner of a personal key'),
    creator: option('<email>', 'the member who asked for the key, named in usage reports'),
    days,
  },
  run: async (input, flags) => showSecret(await administer('keys.create', input, flags), flags),
});

const list = command({
  name: 'list',
  help: 'list the keys of a space, with their secrets masked',
  options: { space },
  async run(input, flags) {
    const empty = 'No keys yet. Create one with "tollgate keys create NAME".';
    printRows(await administer('keys.list', input, flags), { json: flags.json, empty });
  },
});

const rotate = command({
  name: 'rotate',
  help: 'issue a new secret for a key; the old one keeps working for the --grace period',
  arguments: { name },
  options: {
    space,
    grace: option('<hours>', 'how many hours the old secret keeps working', {
      read: wholeNumber,
      default: 24,
    }),
    days,
  },
  async run({ grace: grace_hours, ...input }, flags) {
    showSecret(await administer('keys.rotate', { ...input, grace_hours }, flags), flags);
  },
});

const revoke = command({
  name: 'revoke',
  help: 'reject a key from now on, for good',
  arguments: { name },
  options: { space },
  run: (input, flags) => administerAndPrint('keys.revoke', input, flags),
});

const disable = command({
  name: 'disable',
  help: 'reject a key until it is enabled again',
  arguments: { name },
  options: { space },
  run: (input, flags) => administerAndPrint('keys.disable', input, flags),
});

const enable = command({
  name: 'enable',
  help: 'accept a disabled key again',
  arguments: { name },
  options: { space },
  run: (input, flags) => administerAndPrint('keys.enable', input, flags),
});

const expire = command({
  name: 'expire',
  help: 'set when a key expires',
  arguments: {
    name,
    expires: argument('<date>', 'the last day (YYYY-MM-DD, KST), a moment, or now', timeOrNow),
  },
  options: { space },
  run: (input, flags) => administerAndPrint('keys.expire', input, flags),
});

const limit = command({
  name: 'limit',
  help: 'limit the units a key may spend per calendar month (KST)',
  arguments: {
    name,
    month_limit: argument('<amount|none>', 'units per month, or none to remove the limit', orNone(amount)),
  },
  options: { space },
  run: (input, flags) => administerAndPrint('keys.limit', input, flags),
});

const rate = command({
  name: 'rate',
  help: 'set the per-minute rate limits of a key',
  arguments: { name },
  options: { space, ...rateOptions() },
  async run({ requests, tokens, ...input }, flags) {
    await administerAndPrint('keys.rate', { ...input, ...rateInput({ requests, tokens }) }, flags);
  },
});

const models = command({
  name: 'models',
  help: 'restrict a key to some models',
  arguments: { name, models: argument('<codes|all>', 'model codes as a,b,c, or all', listOrAll) },
  options: { space },
  run: (input, flags) => administerAndPrint('keys.models', input, flags),
});

export const keyCommands = group({
  name: 'keys',
  help: 'manage the keys of a space',
  commands: [create, list, rotate, rate, revoke, disable, enable, expire, limit, models],
});

/** Shared with `spaces rate`. */
export function rateOptions() {
  const read = orNone(wholeNumber);
  return {
    requests: option('<number|none>', 'requests per minute, or none to remove the limit', { read }),
    tokens: option('<number|none>', 'tokens per minute, or none to remove the limit', { read }),
  };
}

export function rateInput({
  requests: requests_per_minute,
  tokens: tokens_per_minute,
}: {
  requests: number | null | undefined;
  tokens: number | null | undefined;
}): Pick<InputOf<'keys.rate'>, 'requests_per_minute' | 'tokens_per_minute'> {
  if (requests_per_minute === undefined && tokens_per_minute === undefined)
    throw new SettingsError(
      'Nothing to change: give --requests N, --tokens N or both; none removes a limit.',
    );
  return { requests_per_minute, tokens_per_minute };
}

function showSecret(made: Row, flags: CommonFlags): void {
  printFields(made, flags);
  if (!flags.json)
    process.stderr.write(
      'Store the key now: it cannot be shown again, because only a digest of it is kept.\n',
    );
}

/** `keys`: the keys of a space and what each may do. */
import type { InputOf, ResultOf } from '../../contract/administration/admin-endpoints.ts';
import {
  GRACE_HOURS_DEFAULT,
  KEY_DAYS_DEFAULT,
  keyKindFilters,
  keyKinds,
  keyStates,
} from '../../contract/administration/words.ts';
import { argument, type CommonFlags, group, option } from '../command.ts';
import { durationIn } from '../duration.ts';
import { printFields } from '../print.ts';
import type { Row } from '../table.ts';
import { UsageError } from '../usage-error.ts';
import { amount, email, listOrAll, oneOf, orNone, timeOrNow, wholeNumber } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

const name = argument('<name>', 'the name of the key');
const days = option('<duration>', 'how long the secret is valid, such as 30d; a number alone means days', {
  read: durationIn('d'),
  default: KEY_DAYS_DEFAULT,
});

const create = adminCommand('keys.create', {
  name: 'create',
  help: 'create a key (shown once)',
  examples: [
    'tollgate keys create ci --space acme',
    'tollgate keys create laptop --kind personal --email kim@example.com --days 30 --limit 50',
  ],
  arguments: { name },
  options: {
    space,
    kind: option('<kind>', 'shared, personal (of --email, or yours), or management (mk_)', {
      read: oneOf(keyKinds),
      default: 'shared',
    }),
    email: option('<email>', 'the owner of a personal key', { read: email }),
    creator: option('<email>', 'the member who asked for the key, named in usage reports', { read: email }),
    days,
    limit: option('<amount>', 'the most units it may spend per calendar month (KST); default: no limit', {
      read: amount,
    }),
  },
  input: ({ limit: month_limit, ...input }) => ({ ...input, month_limit }),
  print: showSecret,
});

const list = listCommand('keys.list', {
  name: 'list',
  help: 'list keys with their limits, spending of this month and last use',
  examples: [
    'tollgate keys list --space acme',
    'tollgate keys list --state expired -o wide',
    'tollgate keys list --all --json | jq .',
  ],
  options: {
    space,
    kind: option('<kind>', `only ${keyKindFilters.join(', ')} keys; gateway is personal and shared`, {
      read: oneOf(keyKindFilters),
    }),
    state: option('<state>', `only ${keyStates.join(', ')} keys`, { read: oneOf(keyStates) }),
    email: option('<email>', 'only keys of this member', { read: email }),
    search: option('<text>', 'only keys whose name begins with this'),
  },
  columns: ['name', 'kind', 'hint', 'owner', 'state', 'spent', 'month_limit', 'expires_at', 'last_used_at'],
  empty: 'No keys yet. Create one with "tollgate keys create NAME".',
});

const get = adminCommand('keys.get', {
  name: 'get',
  help: 'show one key',
  examples: ['tollgate keys get laptop'],
  arguments: { name },
  options: { space },
});

const usage = listCommand('usage.keys', {
  name: 'usage',
  help: 'list what each key used in a calendar month (KST), highest cost first',
  examples: ['tollgate keys usage --space acme --month 2026-10'],
  options: { space, month: option('<YYYY-MM>', 'the month (default: the current one)') },
  columns: ['key', 'kind', 'member', 'requests', 'unpriced', 'cost', 'last_used_at'],
  empty: 'Nothing was used in this month.',
});

const rotate = adminCommand('keys.rotate', {
  name: 'rotate',
  help: 'issue a new secret for a key; the old one keeps working for the --grace period',
  examples: ['tollgate keys rotate ci --grace 1h', 'tollgate keys rotate ci --grace 2d --days 365'],
  arguments: { name },
  options: {
    space,
    grace: option(
      '<duration>',
      'how long the old secret keeps working, such as 1h; a number alone means hours',
      {
        read: durationIn('h'),
        default: GRACE_HOURS_DEFAULT,
      },
    ),
    days,
  },
  input: ({ grace: grace_hours, ...input }) => ({ ...input, grace_hours }),
  print: showSecret,
});

const revoke = adminCommand('keys.revoke', {
  name: 'revoke',
  help: 'reject a key from now on, for good',
  examples: ['tollgate keys revoke old-laptop'],
  arguments: { name },
  options: { space },
});

const disable = adminCommand('keys.disable', {
  name: 'disable',
  help: 'reject a key until it is enabled again',
  examples: ['tollgate keys disable ci'],
  arguments: { name },
  options: { space },
});

const enable = adminCommand('keys.enable', {
  name: 'enable',
  help: 'accept a disabled key again',
  examples: ['tollgate keys enable ci'],
  arguments: { name },
  options: { space },
});

const expire = adminCommand('keys.expire', {
  name: 'expire',
  help: 'set when a key expires',
  examples: ['tollgate keys expire ci 2026-12-31', 'tollgate keys expire ci now'],
  arguments: {
    name,
    expires: argument('<date>', 'the last day (YYYY-MM-DD, KST), a moment, or now', timeOrNow),
  },
  options: { space },
  print: showRules('expire'),
});

const limit = adminCommand('keys.limit', {
  name: 'limit',
  help: 'limit the units a key may spend per calendar month (KST)',
  examples: ['tollgate keys limit ci 250', 'tollgate keys limit ci none'],
  arguments: {
    name,
    month_limit: argument('<amount|none>', 'units per month, or none to remove the limit', orNone(amount)),
  },
  options: { space },
  print: showRules('limit'),
});

const rate = adminCommand('keys.rate', {
  name: 'rate',
  help: 'set the per-minute rate limits of a key',
  examples: ['tollgate keys rate ci --requests 60 --tokens none'],
  arguments: { name },
  options: { space, ...rateOptions() },
  input: ({ requests, tokens, ...input }) => ({ ...input, ...rateInput({ requests, tokens }) }),
  print: showRules('rate'),
});

const models = adminCommand('keys.models', {
  name: 'models',
  help: 'restrict a key to some models',
  examples: ['tollgate keys models ci gpt-5-mini,gpt-5', 'tollgate keys models ci all'],
  arguments: { name, models: argument('<codes|all>', 'model codes as a,b,c, or all', listOrAll) },
  options: { space },
  print: showRules('models'),
});

export const keyCommands = group({
  name: 'keys',
  help: 'manage the keys of a space',
  commands: [create, list, get, usage, rotate, rate, revoke, disable, enable, expire, limit, models],
});

/** Shared with `spaces rate` and `members rate`. */
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
    throw new UsageError('Nothing to change: give --requests N, --tokens N or both; none removes a limit.');
  return { requests_per_minute, tokens_per_minute };
}

/** A rule of a personal key says nothing about other keys of its owner. */
function showRules(command: string) {
  return (rules: ResultOf<'keys.limit'>, flags: CommonFlags): void => {
    printFields(rules, flags);
    if (!flags.json && rules.owner !== null)
      process.stderr.write(
        `This holds for this key. For all keys of its owner: tollgate members ${command} ${rules.owner} …\n`,
      );
  };
}

function showSecret(made: Row, flags: CommonFlags): void {
  printFields(made, flags);
  if (!flags.json)
    process.stderr.write(
      'Store the key now: it cannot be shown again, because only a digest of it is kept.\n',
    );
}

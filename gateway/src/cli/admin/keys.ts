/** `keys`: the keys of a space and what each may do. */

import { settingOf } from '../../contract/administration/rules/find-rules.ts';
import { GRACE_HOURS_DEFAULT, KEY_DAYS_DEFAULT, keyKinds } from '../../contract/administration/words.ts';
import { argument, type CommonFlags, group, option } from '../command.ts';
import { durationIn } from '../duration.ts';
import { printFields } from '../print.ts';
import type { Row } from '../table.ts';
import { amount, email, oneOf } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';
import { ruleCommands } from './rule-commands.ts';

const name = argument('<name>', 'the name of the key');
const days = option('<duration>', 'how long the secret is valid, such as 30d; a number alone means days', {
  read: durationIn('d'),
  default: KEY_DAYS_DEFAULT,
});

const create = adminCommand('keys.create', {
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
  help: 'list keys with their limits, spending of this month and last use',
  examples: [
    'tollgate keys list --space acme',
    'tollgate keys list --state expired -o wide',
    'tollgate keys list --all --json | jq .',
  ],
  options: { space },
  columns: ['name', 'kind', 'hint', 'owner', 'state', 'spent', 'month_limit', 'expires_at', 'last_used_at'],
  empty: 'No keys yet. Create one with "tollgate keys create NAME".',
});

const get = adminCommand('keys.get', {
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
  help: 'reject a key from now on, for good',
  examples: ['tollgate keys revoke old-laptop'],
  arguments: { name },
  options: { space },
});

/** A rule of a personal key says nothing about other keys of its owner. */
const rules = ruleCommands('key', { argument: { name }, example: 'ci' }, (setting, answer) =>
  settingOf(setting).on.member !== undefined && 'owner' in answer && answer.owner !== null
    ? `This holds for this key. For all keys of its owner: tollgate members ${setting} ${answer.owner} …`
    : null,
);

export const keyCommands = group({
  name: 'keys',
  help: 'manage the keys of a space',
  commands: [create, list, get, usage, rotate, revoke, ...rules],
});

function showSecret(made: Row, flags: CommonFlags): void {
  printFields(made, flags);
  if (!flags.json)
    process.stderr.write(
      'Store the key now: it cannot be shown again, because only a digest of it is kept.\n',
    );
}

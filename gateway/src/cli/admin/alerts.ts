/** `alerts`: where events of a space, or of the installation, are sent. */
import { alertTargetTypes } from '../../contract/administration/words.ts';
import { argument, type CliCommand, type CommonFlags, group, option } from '../command.ts';
import { printFields } from '../print.ts';
import type { Row } from '../table.ts';
import { amount, listOrAll, oneOf, orNone, wholeNumber, wholeNumbers } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

const name = argument('<name>', 'a name for lists');
const type = argument('<webhook|slack|email>', 'how it is sent', oneOf(alertTargetTypes));
const address = argument('<address>', 'an https address, or an e-mail address');
const target = argument('<id>', 'the id of the target');
const delivery = argument('<id>', 'the id of the delivery');
const events = option('<kinds|all>', 'a list of kinds of events, or all', {
  read: listOrAll,
  default: null,
});
const TARGET = 'target_01k9x3v7q2m5n8r4t6w0y1z2a3';
const DELIVERY = 'dlv_01k9x3v7q2m5n8r4t6w0y1z2a3';

/** The same commands for the targets of a space and for those of the installation. */
const scopes = {
  alerts: { suffix: '', of: 'a space', options: { space }, typed: ' --space acme' },
  operatorAlerts: { suffix: '-operator', of: 'the installation', options: {}, typed: '' },
} as const;

function targetCommands(scope: keyof typeof scopes, examplesOfAdd: readonly string[]): CliCommand[] {
  const { suffix, of, options, typed } = scopes[scope];
  const examples = (words: string): string[] => [
    `tollgate alerts ${words.replace(/^\w+/, `$&${suffix}`)}${typed}`,
  ];
  const list = listCommand(`${scope}.list`, {
    name: `list${suffix}`,
    help: `list the targets of alerts of ${of}`,
    examples: examples('list'),
    options,
    columns: ['id', 'name', 'type', 'address', 'events', 'created_at'],
    empty: `No targets yet. Add one with "tollgate alerts add${suffix} NAME TYPE ADDRESS".`,
    whole: true,
  });
  const add = adminCommand(`${scope}.add`, {
    name: `add${suffix}`,
    help: `add a target of alerts to ${of} (the secret of a webhook is shown once)`,
    examples: examplesOfAdd,
    arguments: { name, type, address },
    options: { ...options, events },
    input: ({ events: kinds, ...given }) => ({ ...given, events: kinds as never }),
    print: showTarget,
  });
  const remove = adminCommand(`${scope}.remove`, {
    name: `remove${suffix}`,
    help: `remove a target of alerts from ${of}`,
    examples: examples(`remove ${TARGET}`),
    arguments: { target },
    options,
  });
  const test = adminCommand(`${scope}.test`, {
    name: `test${suffix}`,
    help: `send a test to a target of ${of}`,
    examples: examples(`test ${TARGET}`),
    arguments: { target },
    options,
  });
  const deliveries = listCommand(`${scope}.deliveries`, {
    name: `deliveries${suffix}`,
    help: `list the deliveries of alerts of ${of}, newest first`,
    examples: examples('deliveries --state failed'),
    options,
    columns: ['id', 'event', 'target', 'state', 'attempts', 'status', 'problem', 'created_at', 'next_at'],
    empty: 'No alerts yet. Send one with "tollgate alerts test ID".',
  });
  const redeliver = adminCommand(`${scope}.redeliver`, {
    name: `redeliver${suffix}`,
    help: `send an alert of ${of} once more`,
    examples: examples(`redeliver ${DELIVERY}`),
    arguments: { delivery },
    options,
  });
  return [list, add, remove, test, deliveries, redeliver];
}

const settings = adminCommand('alerts.settings', {
  help: 'show when a space is warned',
  examples: ['tollgate alerts settings --space acme'],
  options: { space },
});

const set = adminCommand('alerts.set', {
  help: 'set when a space is warned; what is left out stays as it is',
  examples: ['tollgate alerts set --limits 80,100 --balance 50 --balance-percent none --space acme'],
  options: {
    space,
    limits: option('<percents|none>', 'thresholds of monthly limits, such as 50,80,100', {
      read: wholeNumbers,
    }),
    balance: option('<units|none>', 'warn when at most as many units are left', { read: orNone(amount) }),
    balancePercent: option('<percent|none>', 'warn when at most this part of the last grant is left', {
      read: orNone(wholeNumber),
    }),
    expiry: option('<days|none>', 'how many days before units and keys expire, such as 7,1', {
      read: wholeNumbers,
    }),
  },
  input: ({ space, limits, balance, balancePercent, expiry }) => ({
    space,
    limit_percents: limits,
    balance_units: balance,
    balance_percent: balancePercent,
    expiry_days: expiry,
  }),
});

const ofSpace = targetCommands('alerts', [
  'tollgate alerts add ops webhook https://hooks.example.com/tollgate --space acme',
  'tollgate alerts add kim email kim@example.com --events limit.reached,balance.low',
]);
const ofInstallation = targetCommands('operatorAlerts', [
  'tollgate alerts add-operator pager slack https://hooks.slack.com/services/T0/B0/x',
]);

export const alertCommands = group({
  name: 'alerts',
  help: 'send alerts about limits, units, keys and routes by webhook, Slack or e-mail',
  commands: [...ofSpace, settings, set, ...ofInstallation],
});

function showTarget(made: Row, flags: CommonFlags): void {
  printFields(made, flags);
  if (!flags.json && made.secret !== null)
    process.stderr.write(
      'Store the secret now: it cannot be shown again. Receivers verify signatures with it.\n',
    );
}

/** `alerts`: where events of a space, or of the installation, are sent. */
import { alertTargetTypes } from '../../contract/administration/words.ts';
import { argument, type CommonFlags, group, option } from '../command.ts';
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
const targetColumns = ['id', 'name', 'type', 'address', 'events', 'created_at'] as const;
const deliveryColumns = [
  ...['id', 'event', 'target', 'state', 'attempts', 'status', 'problem'],
  ...['created_at', 'next_at'],
] as const;
const noDeliveries = 'No alerts yet. Send one with "tollgate alerts test ID".';

const list = listCommand('alerts.list', {
  help: 'list the targets of alerts of a space',
  examples: ['tollgate alerts list --space acme'],
  options: { space },
  columns: targetColumns,
  empty: 'No targets yet. Add one with "tollgate alerts add NAME TYPE ADDRESS".',
  whole: true,
});

const add = adminCommand('alerts.add', {
  help: 'add a target of alerts to a space (the secret of a webhook is shown once)',
  examples: [
    'tollgate alerts add ops webhook https://hooks.example.com/tollgate --space acme',
    'tollgate alerts add kim email kim@example.com --events limit.reached,balance.low',
  ],
  arguments: { name, type, address },
  options: { space, events },
  input: ({ events: kinds, ...typed }) => ({ ...typed, events: kinds as never }),
  print: showTarget,
});

const remove = adminCommand('alerts.remove', {
  help: 'remove a target of alerts from a space',
  examples: [`tollgate alerts remove ${TARGET} --space acme`],
  arguments: { target },
  options: { space },
});

const test = adminCommand('alerts.test', {
  help: 'send a test to a target of a space',
  examples: [`tollgate alerts test ${TARGET} --space acme`],
  arguments: { target },
  options: { space },
});

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

const deliveries = listCommand('alerts.deliveries', {
  help: 'list the deliveries of alerts of a space, newest first',
  examples: ['tollgate alerts deliveries --state failed --space acme'],
  options: { space },
  columns: deliveryColumns,
  empty: noDeliveries,
});

const redeliver = adminCommand('alerts.redeliver', {
  help: 'send an alert of a space once more',
  examples: [`tollgate alerts redeliver ${DELIVERY} --space acme`],
  arguments: { delivery },
  options: { space },
});

const listOfAll = listCommand('operatorAlerts.list', {
  name: 'list-operator',
  help: 'list the targets of alerts of the installation',
  examples: ['tollgate alerts list-operator'],
  columns: targetColumns,
  empty: 'No targets yet. Add one with "tollgate alerts add-operator NAME TYPE ADDRESS".',
  whole: true,
});

const addForAll = adminCommand('operatorAlerts.add', {
  name: 'add-operator',
  help: 'add a target of alerts to the installation (the secret of a webhook is shown once)',
  examples: ['tollgate alerts add-operator pager slack https://hooks.slack.com/services/T0/B0/x'],
  arguments: { name, type, address },
  options: { events },
  input: ({ events: kinds, ...typed }) => ({ ...typed, events: kinds as never }),
  print: showTarget,
});

const removeOfAll = adminCommand('operatorAlerts.remove', {
  name: 'remove-operator',
  help: 'remove a target of alerts from the installation',
  examples: [`tollgate alerts remove-operator ${TARGET}`],
  arguments: { target },
});

const testOfAll = adminCommand('operatorAlerts.test', {
  name: 'test-operator',
  help: 'send a test to a target of the installation',
  examples: [`tollgate alerts test-operator ${TARGET}`],
  arguments: { target },
});

const deliveriesOfAll = listCommand('operatorAlerts.deliveries', {
  name: 'deliveries-operator',
  help: 'list the deliveries of alerts of the installation, newest first',
  examples: ['tollgate alerts deliveries-operator'],
  columns: deliveryColumns,
  empty: noDeliveries,
});

const redeliverOfAll = adminCommand('operatorAlerts.redeliver', {
  name: 'redeliver-operator',
  help: 'send an alert of the installation once more',
  examples: [`tollgate alerts redeliver-operator ${DELIVERY}`],
  arguments: { delivery },
});

export const alertCommands = group({
  name: 'alerts',
  help: 'send alerts about limits, units, keys and routes by webhook, Slack or e-mail',
  commands: [
    ...[list, add, remove, test, settings, set, deliveries, redeliver],
    ...[listOfAll, addForAll, removeOfAll, testOfAll, deliveriesOfAll, redeliverOfAll],
  ],
});

function showTarget(made: Row, flags: CommonFlags): void {
  printFields(made, flags);
  if (!flags.json && made.secret !== null)
    process.stderr.write(
      'Store the secret now: it cannot be shown again. Receivers verify signatures with it.\n',
    );
}

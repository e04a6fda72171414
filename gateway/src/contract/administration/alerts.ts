/** Administration of alerts: where events are sent, when a space is warned, and the log of deliveries. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { Amount, count, Label, orNull, request, shape, text, timeOf, whole, withUse } from './fields.ts';
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { alertDefaults, alertKinds, alertTargetTypes, chosenAlertKinds, deliveryStates } from './words.ts';

const ADDRESS_CHARACTERS_MAX = 2_000;
const PERCENT_MAX = 100;
const THRESHOLDS_MAX = 10;
const DAYS_MAX = 30;

const TargetType = Type.Enum(alertTargetTypes, {
  description:
    'webhook: a signed request (Standard Webhooks). slack: an incoming webhook of Slack, or what is compatible with it. email: an e-mail.',
});

const Kinds = Type.Union(
  [Type.Array(Type.Enum(chosenAlertKinds), { minItems: 1, maxItems: chosenAlertKinds.length }), Type.Null()],
  { description: `A list of kinds of events (${chosenAlertKinds.join(', ')}), or null for all.` },
);

const target = {
  id: text('The id of the target.'),
  name: text('The name.'),
  type: TargetType,
  address: text(
    'Where events are sent. Of a web address only scheme and host are shown, because the rest often is a secret.',
  ),
  events: withUse(Kinds, 'The kinds of events that it gets.'),
};

export const AlertTargetListed = shape('A target of alerts.', {
  ...target,
  created_at: timeOf('When it was added.'),
});

export const AlertTargetList = shape('The targets of alerts.', {
  data: Type.Array(AlertTargetListed, { description: 'The targets, ordered by name.' }),
  next_cursor: Type.Null({ description: 'Always null: the list is complete.' }),
});

export const AlertTargetAdded = shape('A new target of alerts, with the secret of a webhook.', {
  ...target,
  secret: orNull(
    text(
      'The secret that receivers verify signatures with (whsec_…). It is shown only in this answer. Null: this type has none.',
    ),
  ),
});

export const AlertTargetRemoved = shape('A target that was removed.', {
  id: target.id,
  name: target.name,
  removed: Type.Literal(true, { description: 'Always true.' }),
});

export const NewAlertTargetRequest = request('A new target of alerts.', {
  name: withUse(Label, 'A name for lists, unique among the targets.'),
  type: TargetType,
  address: Type.String({
    minLength: 3,
    maxLength: ADDRESS_CHARACTERS_MAX,
    description: 'An https address for webhook and slack, or an e-mail address for email.',
    examples: ['https://hooks.example.com/tollgate'],
  }),
  events: Type.Optional(withUse(Kinds, 'Default: null.')),
});

const percents = Type.Array(whole({ min: 1, max: PERCENT_MAX }), {
  maxItems: THRESHOLDS_MAX,
  uniqueItems: true,
  description: `A list of at most ${THRESHOLDS_MAX} different whole numbers from 1 to ${PERCENT_MAX}.`,
});
const days = Type.Array(whole({ min: 1, max: DAYS_MAX }), {
  maxItems: THRESHOLDS_MAX,
  uniqueItems: true,
  description: `A list of at most ${THRESHOLDS_MAX} different whole numbers from 1 to ${DAYS_MAX}.`,
});
const settings = {
  limit_percents: withUse(
    percents,
    `Thresholds of the monthly limits of keys and members, in percent. Default: ${alertDefaults.limitPercents.join(', ')}.`,
  ),
  balance_units: withUse(
    Type.Union([Amount, Type.Null()], {
      description: 'A decimal number of units as text, such as "12.5", or null.',
    }),
    'The balance is low when at most as many units are left. Default: null.',
  ),
  balance_percent: withUse(
    Type.Union([whole({ min: 1, max: PERCENT_MAX }), Type.Null()], {
      description: `A whole number from 1 to ${PERCENT_MAX}, or null.`,
    }),
    `The balance is low when at most this part of the last grant is left. Default: ${alertDefaults.balancePercent}.`,
  ),
  expiry_days: withUse(
    days,
    `How many days before units and keys expire. Default: ${alertDefaults.expiryDays.join(', ')}.`,
  ),
};

export const SpaceAlertSettings = shape('When a space is warned.', settings);

export const SetAlertSettingsRequest = request('What changes; what is left out stays as it is.', {
  limit_percents: Type.Optional(settings.limit_percents),
  balance_units: Type.Optional(settings.balance_units),
  balance_percent: Type.Optional(settings.balance_percent),
  expiry_days: Type.Optional(settings.expiry_days),
});

export const AlertDelivery = shape('An event on its way to a target.', {
  id: text('The id of the delivery.'),
  event: Type.Enum(alertKinds, { description: 'The kind of the event.' }),
  event_id: text('The id of the event, which receivers get as webhook-id.'),
  target: text('The name of the target.'),
  type: TargetType,
  state: Type.Enum(deliveryStates, {
    description: 'pending: it is sent, or tried again. delivered: the receiver took it. failed: given up.',
  }),
  attempts: count('How often it was sent.'),
  status: orNull(
    count('The HTTP status of the last attempt. Null: there was no answer, or it was an e-mail.'),
  ),
  problem: orNull(text('Why the last attempt failed. Null: it did not.')),
  created_at: timeOf('When the event happened.'),
  last_at: orNull(timeOf('When it was sent last. Null: not yet.')),
  next_at: orNull(timeOf('When it is sent again. Null: never.')),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: 'What receivers are sent about the event.',
  }),
});

export const AlertDeliveryPage = pageOf(AlertDelivery, 'The deliveries, newest first.');

export const AlertQueued = shape('A delivery that is sent now.', {
  id: text('The id of the delivery, to be found in the log.'),
  target: text('The name of the target.'),
  state: Type.Literal('pending', { description: 'Always pending.' }),
});

const inSpace = `${IN_SPACE}/alerts` as const;
const ofAll = `${ADMIN_BASE}/alerts` as const;

export const alertEndpoints = {
  'alerts.list': {
    ...operation('GET', `${inSpace}/targets`, 'admin'),
    summary: 'List the targets of alerts of a space.',
    response: AlertTargetList,
  },
  'alerts.add': {
    ...operation('POST', `${inSpace}/targets`, 'admin'),
    summary: 'Add a target of alerts to a space.',
    request: NewAlertTargetRequest,
    response: AlertTargetAdded,
    problems: ['conflict'],
  },
  'alerts.remove': {
    ...operation('DELETE', `${inSpace}/targets/{target}`, 'admin'),
    summary: 'Remove a target of alerts from a space.',
    response: AlertTargetRemoved,
  },
  'alerts.test': {
    ...operation('POST', `${inSpace}/targets/{target}/test`, 'admin'),
    summary: 'Send a test to a target of a space.',
    response: AlertQueued,
  },
  'alerts.settings': {
    ...operation('GET', `${inSpace}/settings`, 'admin'),
    summary: 'Get when a space is warned.',
    response: SpaceAlertSettings,
  },
  'alerts.set': {
    ...operation('PUT', `${inSpace}/settings`, 'admin'),
    summary: 'Set when a space is warned.',
    request: SetAlertSettingsRequest,
    response: SpaceAlertSettings,
  },
  'alerts.deliveries': {
    ...operation('GET', `${inSpace}/deliveries`, 'admin'),
    summary: 'List the deliveries of alerts of a space.',
    query: listQuery(filterFields('alerts.deliveries')),
    response: AlertDeliveryPage,
  },
  'alerts.redeliver': {
    ...operation('POST', `${inSpace}/deliveries/{delivery}/redeliver`, 'admin'),
    summary: 'Send an alert of a space once more.',
    response: AlertQueued,
    problems: ['conflict'],
  },
  'operatorAlerts.list': {
    ...operation('GET', `${ofAll}/targets`, 'operator'),
    summary: 'List the targets of alerts of the installation.',
    response: AlertTargetList,
  },
  'operatorAlerts.add': {
    ...operation('POST', `${ofAll}/targets`, 'operator'),
    summary: 'Add a target of alerts to the installation.',
    request: NewAlertTargetRequest,
    response: AlertTargetAdded,
    problems: ['conflict'],
  },
  'operatorAlerts.remove': {
    ...operation('DELETE', `${ofAll}/targets/{target}`, 'operator'),
    summary: 'Remove a target of alerts from the installation.',
    response: AlertTargetRemoved,
  },
  'operatorAlerts.test': {
    ...operation('POST', `${ofAll}/targets/{target}/test`, 'operator'),
    summary: 'Send a test to a target of the installation.',
    response: AlertQueued,
  },
  'operatorAlerts.deliveries': {
    ...operation('GET', `${ofAll}/deliveries`, 'operator'),
    summary: 'List the deliveries of alerts of the installation.',
    query: listQuery(filterFields('operatorAlerts.deliveries')),
    response: AlertDeliveryPage,
  },
  'operatorAlerts.redeliver': {
    ...operation('POST', `${ofAll}/deliveries/{delivery}/redeliver`, 'operator'),
    summary: 'Send an alert of the installation once more.',
    response: AlertQueued,
    problems: ['conflict'],
  },
} as const satisfies Record<string, AdminEndpoint>;

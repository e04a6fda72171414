/** Administration of spaces: the tenants of the installation. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import {
  count,
  fields,
  Label,
  Note,
  orNull,
  rateFields,
  SpaceName,
  Switch,
  text,
  timeOf,
  units,
  yes,
} from './fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { AdminRequestRow } from './requests.ts';

const settings = {
  name: text('The name of the space.'),
  id: text('The id of the space.'),
  overage_allowed: yes('Whether it may spend more units than it holds.'),
  keeps_responses: yes('Whether its responses are kept for `previous_response_id`.'),
  blocked: yes('Whether an operator blocked it.'),
  requests_per_minute: orNull(
    count('The most requests per minute of all its keys together. Null: no limit.'),
  ),
  tokens_per_minute: orNull(count('The most tokens per minute of all its keys together. Null: no limit.')),
};

export const SpaceSettings = Type.Object(settings);

const ListedSpace = Type.Object({
  ...settings,
  can_spend: yes('Whether it can spend units now.'),
  role: Type.Enum(['operator', 'admin', 'member'], { description: 'Your role in the space.' }),
  held: units('The units it holds.'),
  overage: units('The units it spent beyond those it held, not yet invoiced.'),
  spent: units('The units it spent in the current calendar month (KST).'),
  members: count('How many members it has.'),
  active_keys: count('How many of its keys are active.'),
  created_at: timeOf('When it was created.'),
  kept_responses: count('How many of its responses are kept.'),
  kept_bytes: count('The size of its kept responses in bytes.'),
});

export const spaceEndpoints = {
  'spaces.list': {
    ...operation('GET', `${ADMIN_BASE}/spaces`, 'member'),
    summary: 'List the spaces that you can see.',
    query: listQuery({ search: Type.Optional(Label) }),
    response: pageOf(ListedSpace, 'The spaces, ordered by name.'),
    csv: true,
    problems: [],
  },
  'spaces.get': {
    ...operation('GET', IN_SPACE, 'member'),
    summary: 'Get the settings and the balance of a space.',
    response: ListedSpace,
    problems: [],
  },
  'spaces.overview': {
    ...operation('GET', `${IN_SPACE}/overview`, 'member'),
    summary: 'Get the state of a space at a glance: balance, usage of this month, last errors.',
    response: Type.Object({
      space: ListedSpace,
      month: Type.Object(
        {
          month: text('The calendar month (KST).'),
          requests: count('The number of requests; of a member, their own.'),
          unpriced: count('How many of them have an unknown cost.'),
          cost: units('The units they cost.'),
          active_keys: orNull(count('How many keys were used. Null for a member.')),
        },
        { description: 'What was used in the current month.' },
      ),
      days: Type.Array(
        Type.Object({
          day: text('The day (KST).'),
          requests: count('The number of requests.'),
          cost: units('The units they cost.'),
        }),
        { description: 'The days of the current month that have usage.' },
      ),
      last_errors: Type.Array(AdminRequestRow, {
        description: 'The last requests that failed or were rejected.',
      }),
    }),
    problems: [],
  },
  'spaces.create': {
    ...operation('POST', `${ADMIN_BASE}/spaces`, 'operator'),
    summary: 'Create a space.',
    request: fields({ name: SpaceName, overage: Type.Optional(Switch) }),
    idempotent: true,
    response: SpaceSettings,
    problems: ['conflict'],
  },
  'spaces.overage': {
    ...operation('PUT', `${IN_SPACE}/overage`, 'operator'),
    summary: 'Allow or forbid a space to spend more units than it holds.',
    request: fields({ allowed: Switch }),
    idempotent: true,
    response: SpaceSettings,
    problems: [],
  },
  'spaces.keepResponses': {
    ...operation('PUT', `${IN_SPACE}/keep-responses`, 'admin'),
    summary: 'Keep the responses of a space, or stop keeping them.',
    request: fields({ keep: Switch }),
    idempotent: true,
    response: SpaceSettings,
    problems: [],
  },
  'spaces.block': {
    ...operation('PUT', `${IN_SPACE}/block`, 'operator'),
    summary: 'Block all charged calls of a space, or unblock them.',
    request: fields({ blocked: Switch }),
    idempotent: true,
    response: SpaceSettings,
    problems: [],
  },
  'spaces.rate': {
    ...operation('PUT', `${IN_SPACE}/rate`, 'operator'),
    summary: 'Set the per-minute rate limits of all keys of a space together.',
    request: fields(rateFields),
    idempotent: true,
    response: SpaceSettings,
    problems: [],
  },
  'spaces.invoice': {
    ...operation('POST', `${IN_SPACE}/invoices`, 'operator'),
    summary: 'Invoice the overage of a space: it owes nothing afterwards.',
    request: fields({ note: Note }),
    idempotent: true,
    response: Type.Object({
      id: text('The id of the invoice.'),
      space: text('The name of the space.'),
      units: units('The units that were invoiced.'),
      at: timeOf('When it was invoiced.'),
    }),
    problems: ['conflict'],
  },
} as const satisfies Record<string, AdminEndpoint>;

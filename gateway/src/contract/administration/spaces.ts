/** Administration of spaces: the tenants of the installation. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import {
  count,
  filter,
  Label,
  Note,
  orNull,
  request,
  SpaceName,
  Switch,
  shape,
  text,
  timeOf,
  units,
  withUse,
  yes,
} from './fields.ts';
import { RateRequest } from './limits.ts';
import { listQuery, pageOf } from './lists.ts';
import { AdminRequestRow } from './requests.ts';

const settings = {
  name: text('The name of the space.'),
  id: text('The id of the space.'),
  overage_allowed: yes('Whether it may spend more units than it holds.'),
  keeps_responses: yes('Whether its responses are kept for `previous_response_id`.'),
  unpriced_allowed: yes('Whether its calls may ask for something that has no price.'),
  blocked: yes('Whether an operator blocked it.'),
  requests_per_minute: orNull(
    count('The most requests per minute of all its keys together. Null: no limit.'),
  ),
  tokens_per_minute: orNull(count('The most tokens per minute of all its keys together. Null: no limit.')),
};

export const SpaceSettings = shape('The settings of a space.', settings);

export const AdminSpace = shape('A space: its settings, its balance and how much it is used.', {
  ...settings,
  can_spend: yes('Whether it can spend units now.'),
  role: Type.Enum(['operator', 'admin', 'member'], { description: 'Your role in the space.' }),
  held: units('The units it holds.'),
  overage: units('The units it spent beyond those it held, not yet invoiced.'),
  reserved: units(
    'Units that count as spent although they are not charged: for batches that are not settled, calls without a price, and calls that are being counted.',
  ),
  spent: units('The units it spent in the current calendar month (KST).'),
  members: count('How many members it has.'),
  active_keys: count('How many of its keys are active.'),
  created_at: timeOf('When it was created.'),
  kept_responses: count('How many of its responses are kept.'),
  kept_bytes: count('The size of its kept responses in bytes.'),
});

export const SpacePage = pageOf(AdminSpace, 'The spaces, ordered by name.');

export const SpaceOverview = shape('The state of a space at a glance.', {
  space: AdminSpace,
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
});

export const CreateSpaceRequest = request('A new space.', {
  name: SpaceName,
  overage: Type.Optional(withUse(Switch, 'Whether it may spend more units than it holds. Default: false.')),
});

export const OverageRequest = request('Whether a space may use overage.', {
  allowed: withUse(Switch, 'Whether it may spend more units than it holds.'),
});

export const KeepResponsesRequest = request('Whether the responses of a space are kept.', {
  keep: withUse(Switch, 'Whether new responses are kept.'),
});

export const UnpricedRequest = request('Whether a space may ask for something without a price.', {
  allowed: withUse(Switch, 'Whether such calls are sent.'),
});

export const BlockRequest = request('Whether a space is blocked.', {
  blocked: withUse(Switch, 'Whether charged calls are rejected.'),
});

export const InvoiceRequest = request('An invoice of all overage.', { note: Note });

export const IssuedInvoice = shape('An invoice.', {
  id: text('The id of the invoice.'),
  space: text('The name of the space.'),
  units: units('The units that were invoiced.'),
  at: timeOf('When it was invoiced.'),
});

export const spaceEndpoints = {
  'spaces.list': {
    ...operation('GET', `${ADMIN_BASE}/spaces`, 'member'),
    summary: 'List the spaces that you can see.',
    query: listQuery({ search: filter(Label, 'Only spaces whose name begins with it are listed.') }),
    response: SpacePage,
    csv: true,
    problems: [],
  },
  'spaces.get': {
    ...operation('GET', IN_SPACE, 'member'),
    summary: 'Get the settings and the balance of a space.',
    response: AdminSpace,
    problems: [],
  },
  'spaces.overview': {
    ...operation('GET', `${IN_SPACE}/overview`, 'member'),
    summary: 'Get the state of a space at a glance.',
    response: SpaceOverview,
    problems: [],
  },
  'spaces.create': {
    ...operation('POST', `${ADMIN_BASE}/spaces`, 'operator'),
    summary: 'Create a space.',
    request: CreateSpaceRequest,
    idempotent: true,
    response: SpaceSettings,
    problems: ['conflict'],
  },
  'spaces.overage': {
    ...operation('PUT', `${IN_SPACE}/overage`, 'operator'),
    summary: 'Allow or forbid a space to spend more units than it holds.',
    request: OverageRequest,
    idempotent: true,
    response: SpaceSettings,
    problems: [],
  },
  'spaces.keepResponses': {
    ...operation('PUT', `${IN_SPACE}/keep-responses`, 'admin'),
    summary: 'Keep the responses of a space, or stop keeping them.',
    request: KeepResponsesRequest,
    idempotent: true,
    response: SpaceSettings,
    problems: [],
  },
  'spaces.unpriced': {
    ...operation('PUT', `${IN_SPACE}/unpriced`, 'operator'),
    summary: 'Allow or forbid a space to ask for what has no price.',
    request: UnpricedRequest,
    idempotent: true,
    response: SpaceSettings,
    problems: [],
  },
  'spaces.block': {
    ...operation('PUT', `${IN_SPACE}/block`, 'operator'),
    summary: 'Block all charged calls of a space, or unblock them.',
    request: BlockRequest,
    idempotent: true,
    response: SpaceSettings,
    problems: [],
  },
  'spaces.rate': {
    ...operation('PUT', `${IN_SPACE}/rate`, 'operator'),
    summary: 'Set the per-minute rate limits of a space.',
    request: RateRequest,
    idempotent: true,
    response: SpaceSettings,
    problems: [],
  },
  'spaces.invoice': {
    ...operation('POST', `${IN_SPACE}/invoices`, 'operator'),
    summary: 'Invoice the overage of a space.',
    request: InvoiceRequest,
    idempotent: true,
    response: IssuedInvoice,
    problems: ['conflict'],
  },
} as const satisfies Record<string, AdminEndpoint>;

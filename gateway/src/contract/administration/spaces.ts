/** Administration of spaces: the tenants of the installation. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import {
  count,
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
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { AdminRequestRow } from './requests.ts';
import { ruleEndpoints } from './rules/rule-endpoints.ts';
import { shownRuleFields } from './rules/rule-shapes.ts';
import { worthOrNull } from './worth.ts';

const settings = {
  name: text('The name of the space.'),
  id: text('The id of the space.'),
  ...shownRuleFields('space'),
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
      worth: worthOrNull('What the cost is worth at the rate of the start of the month.'),
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
    query: listQuery(filterFields('spaces.list')),
    response: SpacePage,
    csv: true,
  },
  'spaces.get': {
    ...operation('GET', IN_SPACE, 'member'),
    summary: 'Get the settings and the balance of a space.',
    response: AdminSpace,
  },
  'spaces.overview': {
    ...operation('GET', `${IN_SPACE}/overview`, 'member'),
    summary: 'Get the state of a space at a glance.',
    response: SpaceOverview,
  },
  'spaces.create': {
    ...operation('POST', `${ADMIN_BASE}/spaces`, 'operator'),
    summary: 'Create a space.',
    request: CreateSpaceRequest,
    response: SpaceSettings,
    problems: ['conflict'],
  },
  ...ruleEndpoints('space', IN_SPACE, SpaceSettings),
  'spaces.invoice': {
    ...operation('POST', `${IN_SPACE}/invoices`, 'operator'),
    summary: 'Invoice the overage of a space.',
    request: InvoiceRequest,
    response: IssuedInvoice,
    problems: ['conflict'],
  },
} as const satisfies Record<string, AdminEndpoint>;

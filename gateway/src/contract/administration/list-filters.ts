/**
 * What lists can be filtered by: the queries of the API and the options of the commands are made of it. It imports only
 * words, so that a command starts fast.
 */
import { jobStatuses } from '../job-statuses.ts';
import {
  alertKinds,
  batchStatuses,
  budgetRequestStates,
  deliveryStates,
  entryKinds,
  grantKinds,
  keyKindFilters,
  keyStates,
  memberRoles,
  requestStatuses,
  settlementFilters,
} from './words.ts';

export type FilterKind = 'label' | 'email' | 'time' | 'amount' | 'key id' | 'request id';

export interface ListFilter {
  /** What is listed then. */
  readonly keeps: string;
  /** What help calls its value. */
  readonly form: string;
  /** Default: `label`. */
  readonly kind?: FilterKind;
  /** The only values that it has. */
  readonly words?: readonly string[];
}

const search = { form: 'text' } as const;

function ofMember<const Keeps extends string>(keeps: Keeps) {
  return { form: 'email', kind: 'email', keeps } as const;
}

/** Between which times something is listed. */
function between(what: string) {
  return {
    from: { form: 'date', kind: 'time', keeps: `${what} from this moment on` },
    until: { form: 'date', kind: 'time', keeps: `${what} before this moment` },
  } as const;
}

const changes = {
  actor: { form: 'name', keeps: 'changes by this actor' },
  action: {
    form: 'name',
    keeps: 'changes with this action (such as keys.rotate) or of this kind (such as keys)',
  },
  subject: { form: 'name', keeps: 'changes of this key, member or space' },
  ...between('changes'),
} as const;

const deliveries = {
  state: { form: 'state', words: deliveryStates, keeps: 'deliveries in this state' },
  event: { form: 'kind', words: alertKinds, keeps: 'deliveries of events of this kind' },
} as const;

const owner = { form: 'email', kind: 'email', keeps: 'tokens that this person answers for' } as const;

export const listFilters = {
  'spaces.list': { search: { ...search, keeps: 'spaces whose name begins with this text' } },
  'members.list': {
    role: { form: 'role', words: memberRoles, keeps: 'members with this role' },
    search: { ...search, keeps: 'members whose e-mail address or display name contains this text' },
  },
  'keys.list': {
    kind: {
      form: 'kind',
      words: keyKindFilters,
      keeps: 'keys of this kind; gateway: personal and shared keys',
    },
    state: { form: 'state', words: keyStates, keeps: 'keys in this state; default: all but revoked' },
    email: ofMember('personal keys of this member'),
    search: { ...search, keeps: 'keys whose name begins with this text' },
  },
  'invoices.list': between('invoices'),
  'grants.list': { kind: { form: 'kind', words: grantKinds, keeps: 'units of this kind' } },
  'ledger.list': {
    kind: { form: 'kind', words: entryKinds, keeps: 'entries of this kind' },
    ...between('entries'),
  },
  'requests.list': {
    status: { form: 'status', words: requestStatuses, keeps: 'requests that ended so' },
    model: { form: 'code', keeps: 'requests to this model' },
    key: { form: 'name', keeps: 'requests of the key with this name' },
    key_id: {
      form: 'id',
      kind: 'key id',
      keeps: 'requests of the key with this id (also if it is revoked and its name is used again)',
    },
    email: ofMember('requests of this member'),
    endpoint: {
      form: 'kind',
      keeps: 'calls of this kind (such as chat, responses, messages, embeddings or images)',
    },
    ...between('requests'),
    id: { form: 'id', kind: 'request id', keeps: 'requests with this id' },
    min_cost: { form: 'units', kind: 'amount', keeps: 'requests that cost at least as much' },
  },
  'batches.list': {
    status: { form: 'status', words: batchStatuses, keeps: 'batches that are this far' },
    model: { form: 'code', keeps: 'batches of this model' },
    email: ofMember('batches of this member'),
    ...between('batches'),
    settlement: {
      form: 'status',
      words: settlementFilters,
      keeps: 'batches whose charge is this far; unsettled: all that are not charged yet',
    },
  },
  'jobs.list': {
    status: { form: 'status', words: jobStatuses, keeps: 'jobs that are this far' },
    model: { form: 'code', keeps: 'jobs of this model' },
    email: ofMember('jobs of this member'),
    ...between('jobs'),
  },
  'media.list': { email: ofMember('files of this member') },
  'references.list': {
    kind: { form: 'kind', words: ['image', 'video', 'audio'], keeps: 'references of this kind' },
    email: ofMember('references of this member'),
  },
  'audit.list': changes,
  'audit.all': changes,
  'workloads.list': { key: { form: 'name', keeps: 'rules of the key with this name' } },
  'budgetRequests.list': {
    state: { form: 'state', words: budgetRequestStates, keeps: 'requests in this state' },
  },
  'alerts.deliveries': deliveries,
  'operatorAlerts.deliveries': deliveries,
  'tokens.list': { owner },
  'operatorTokens.list': { owner },
} as const satisfies Record<string, Readonly<Record<string, ListFilter>>>;

export type FilteredList = keyof typeof listFilters;

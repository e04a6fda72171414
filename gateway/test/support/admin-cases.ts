/**
 * A case for every operation of administration: its input, what cannot be done, and the line of the audit log it
 * leaves. Each can be run on what `admin-stage.ts` prepares; what an earlier one changed is in `before`. The audit test
 * and the matrix of rights use the same cases.
 */
import { expect } from 'vitest';
import { changes as isChange } from '../../src/contract/administration/admin-endpoint.ts';
import {
  adminEndpoints,
  type InputOf,
  type OperationName,
  operationNames,
} from '../../src/contract/administration/admin-endpoints.ts';

/** What a call of an operation is, whatever its name. */
export type Input = Readonly<Record<string, unknown>>;

export interface ChangeCase<Good = Input> {
  readonly args: Good;
  /** Cannot be done. */
  readonly bad: Input;
  readonly space: string | null;
  readonly subject: unknown;
  readonly before: unknown;
  readonly after: unknown;
}

/** What is not known before the run: the names stand for themselves in `args` and `subject`. */
export const CALL = 'CALL';
export const ACME_CALL = 'ACME_CALL';
export const UNPRICED_CALL = 'UNPRICED_CALL';
export const TOKEN = 'TOKEN';
export const OPERATOR_TOKEN = 'OPERATOR_TOKEN';
export const INVITATION = 'INVITATION';
export const BUILD = 'BUILD';
export const WORKLOAD = 'WORKLOAD';
export const SUBJECTS = 'SUBJECTS';
export const BUDGET_REQUEST = 'BUDGET_REQUEST';
/** The line of the audit log about the invitation. */
export const LINE = 'LINE';
export const BATCH = `batch_${'0'.repeat(26)}`;
export const JOB = `job_${'0'.repeat(26)}`;
/** Of the space `acme`, and of the installation; the deliveries were given up. */
export const TARGET = `target_${'0'.repeat(26)}`;
export const OPERATOR_TARGET = `target_${'1'.repeat(26)}`;
export const DELIVERY = `dlv_${'0'.repeat(26)}`;
export const OPERATOR_DELIVERY = `dlv_${'1'.repeat(26)}`;
const newTarget = { type: 'webhook', address: 'https://hooks.invalid/in?token=1' } as const;
const shownTarget = { type: 'webhook', address: 'https://hooks.invalid/…' };
export const PASSWORD = 'correct horse battery staple';
export const acme = { space: 'acme' };
const lab = { space: 'lab' };
const NOVEMBER = { from: '2026-11-01T00:00:00Z', until: '2026-12-01T00:00:00Z' };
const ghost = { ...acme, name: 'ghost' };
export const spare = { ...acme, name: 'spare' };
export const kim = { ...acme, email: 'kim@acme.test' };
export const lee = { ...acme, email: 'lee@acme.test' };
const olga = { email: 'olga@tollgate.test' };
export const otto = { email: 'otto@tollgate.test' };
export const web = { id: 'web' };
export const shut = { id: 'shut' };
/** An id that `acme` was given, and has no project yet. */
export const fresh = { id: 'shop' };
export const spareIds = { ids: 'spare-*' };
export const workloadRule = { issuer: 'cluster', subject: 'system:serviceaccount:team-a:worker' };
export const spareSubjects = { issuer: 'cluster', subjects: 'system:serviceaccount:team-a:*' };
/** No call of the tests has the tag. */
export const quietBudget = { amount: '5', window: 'month', tags: 'never=used' } as const;
export const [oldBudget, calmBudget, askedBudget] = ['old', 'calm', 'asked'];
const shownBudget = { ...quietBudget, key: null, per: null, hard: false };
const hint = expect.stringMatching(/^(sk|mk)_….{4}$/);
const tokenHint = expect.stringMatching(/^at_….{4}$/);
const moment = expect.stringMatching(/^\d{4}-.*(?:Z|\+09:00)$/);

export const changes: { readonly [Name in OperationName]?: ChangeCase<InputOf<Name>> } = {
  'spaces.create': {
    args: { name: 'fresh', overage: true },
    bad: { name: 'acme' },
    space: 'fresh',
    subject: 'fresh',
    before: null,
    after: expect.objectContaining({ name: 'fresh', overage_allowed: true }),
  },
  'spaces.overage': { ...labCase('overage_allowed', [true, false]), args: { ...lab, allowed: false } },
  'spaces.keepResponses': { ...labCase('keeps_responses', [true, false]), args: { ...lab, keep: false } },
  'spaces.unpriced': { ...labCase('unpriced_allowed', [false, true]), args: { ...lab, allowed: true } },
  'spaces.hard_limits': { ...labCase('hard_limits', [false, true]), args: { ...lab, hard: true } },
  'spaces.block': { ...labCase('blocked', [false, true]), args: { ...lab, blocked: true } },
  'spaces.rate': {
    ...labCase('requests_per_minute', [null, 60]),
    args: { space: 'lab', requests_per_minute: 60 },
    bad: { space: 'lab', requests_per_minute: -60 },
  },
  'spaces.invoice': {
    args: { space: 'debtor', note: 'invoice 7' },
    bad: acme,
    space: 'debtor',
    subject: 'debtor',
    before: { overage: expect.stringMatching(/^0\.0+\d+$/) },
    after: expect.objectContaining({ id: expect.stringMatching(/^inv_/), at: moment }),
  },
  'members.add': {
    args: { ...acme, email: 'new@acme.test', role: 'member' },
    bad: { ...kim, role: 'member' },
    space: 'acme',
    subject: 'new@acme.test',
    before: null,
    after: expect.objectContaining({ email: 'new@acme.test', role: 'member', month_limit: null }),
  },
  'members.role': {
    args: { ...kim, role: 'admin' },
    bad: { ...kim, role: 'king' },
    space: 'acme',
    subject: 'kim@acme.test',
    before: { role: 'member' },
    after: { role: 'admin' },
  },
  'members.nickname': {
    args: { ...kim, nickname: 'Kim' },
    bad: { ...kim, nickname: '' },
    space: 'acme',
    subject: 'kim@acme.test',
    before: { nickname: 'kim' },
    after: { nickname: 'Kim' },
  },
  'members.limit': {
    args: { ...kim, month_limit: '5' },
    bad: { ...kim, month_limit: '-5' },
    space: 'acme',
    subject: 'kim@acme.test',
    before: { month_limit: null },
    after: { month_limit: '5' },
  },
  'members.rate': {
    args: { ...kim, requests_per_minute: 60 },
    bad: { ...kim, requests_per_minute: 0 },
    space: 'acme',
    subject: 'kim@acme.test',
    before: { requests_per_minute: null },
    after: { requests_per_minute: 60 },
  },
  'members.models': {
    args: { ...kim, models: ['sim-chat'] },
    bad: { ...kim, models: ['sim-chatt'] },
    space: 'acme',
    subject: 'kim@acme.test',
    before: { models: null },
    after: { models: ['sim-chat'] },
  },
  'members.tags': {
    args: { ...kim, tags: 'team=a' },
    bad: { ...kim, tags: 'team' },
    space: 'acme',
    subject: 'kim@acme.test',
    before: { tags: null },
    after: { tags: 'team=a' },
  },
  'members.expire': {
    args: { ...kim, expires: '2999-01-01T23:59:59+09:00' },
    bad: { ...kim, expires: '2001-01-01T23:59:59+09:00' },
    space: 'acme',
    subject: 'kim@acme.test',
    before: { expires_at: null },
    after: { expires_at: '2999-01-01T23:59:59+09:00' },
  },
  'members.remove': {
    args: kim,
    bad: { ...acme, email: 'nobody@acme.test' },
    space: 'acme',
    subject: 'kim@acme.test',
    before: expect.objectContaining({ email: 'kim@acme.test', month_limit: '5' }),
    after: null,
  },
  'keys.create': {
    args: { ...acme, name: 'made', kind: 'management' },
    bad: { ...acme, name: 'test', kind: 'shared' },
    space: 'acme',
    subject: 'made',
    before: null,
    after: expect.objectContaining({ name: 'made', kind: 'management', hint, expires_at: moment }),
  },
  'keys.rotate': {
    args: { ...spare, grace_hours: 1 },
    bad: { ...spare, grace_hours: -1 },
    space: 'acme',
    subject: 'spare',
    before: { hint, expires_at: moment },
    after: { hint, expires_at: moment, former_until: moment },
  },
  'keys.limit': keyCase({ month_limit: '2.5' }, { month_limit: 'much' }, 'month_limit', [null, '2.5']),
  'keys.disable': keyCase({}, ghost, 'disabled', [false, true]),
  'keys.expire': keyCase(
    { expires: '2999-01-01T23:59:59+09:00' },
    { expires: '2001-01-01T23:59:59+09:00' },
    'expires_at',
    [moment, '2999-01-01T23:59:59+09:00'],
  ),
  'keys.rate': keyCase({ tokens_per_minute: 1000 }, { tokens_per_minute: 'many' }, 'tokens_per_minute', [
    null,
    1000,
  ]),
  'keys.models': keyCase({ models: ['sim-chat'] }, { models: ['sim-caht'] }, 'models', [null, ['sim-chat']]),
  'keys.tags': keyCase({ tags: 'team=a' }, { tags: 'team' }, 'tags', [null, 'team=a']),
  'keys.enable': keyCase({}, ghost, 'disabled', [true, false]),
  'keys.revoke': {
    args: spare,
    bad: ghost,
    space: 'acme',
    subject: 'spare',
    before: expect.objectContaining({ month_limit: '2.5', models: ['sim-chat'], disabled: false }),
    after: { revoked: true },
  },
  'grants.add': {
    args: {
      ...acme,
      amount: '3.000000000001',
      kind: 'promo',
      expires: '2999-01-01T23:59:59+09:00',
      note: 'welcome',
    },
    bad: { ...acme, amount: '3', kind: 'paid', expires: '2999-01-01T23:59:59+09:00' },
    space: 'acme',
    subject: expect.stringMatching(/^grt_/),
    before: null,
    after: expect.objectContaining({ amount: '3.000000000001', kind: 'promo', note: 'welcome' }),
  },
  'ledger.correct': {
    args: { call: CALL, amount: '7', note: 'wrong price' },
    bad: { call: `req_${'0'.repeat(26)}`, amount: '7' },
    space: 'debtor',
    subject: CALL,
    before: { cost: expect.stringMatching(/^0\.0+\d+$/) },
    after: { cost: '7', note: 'wrong price' },
  },
  'ledger.forgive': {
    args: { ...acme, ref: UNPRICED_CALL, note: 'nobody asked for it' },
    bad: { ...acme, ref: `req_${'0'.repeat(26)}` },
    space: 'acme',
    subject: UNPRICED_CALL,
    before: null,
    after: expect.objectContaining({ requests: 1, units: '0', note: 'nobody asked for it' }),
  },
  'operators.add': {
    args: { ...olga, password: PASSWORD },
    bad: { ...olga, password: 'short' },
    space: null,
    subject: olga.email,
    before: null,
    after: { operator: true, password: 'set' },
  },
  'operators.remove': {
    args: otto,
    bad: { email: lee.email },
    space: null,
    subject: otto.email,
    before: { operator: true },
    after: { operator: false },
  },
  'people.password': {
    args: { email: lee.email, password: PASSWORD },
    bad: { email: 'nobody@acme.test', password: PASSWORD },
    space: null,
    subject: lee.email,
    before: null,
    after: { password: 'set' },
  },
  'people.link': {
    args: { email: lee.email },
    bad: { email: 'nobody@acme.test' },
    space: null,
    subject: lee.email,
    before: null,
    after: { expires_at: moment },
  },
  'aliases.set': {
    args: { ...acme, alias: 'fast', model: 'sim-chat' },
    bad: { ...acme, alias: 'sim-chat', model: 'sim-chat' },
    space: 'acme',
    subject: 'fast',
    before: null,
    after: { model: 'sim-chat' },
  },
  'aliases.remove': {
    args: { ...acme, alias: 'quick' },
    bad: { ...acme, alias: 'ghost' },
    space: 'acme',
    subject: 'quick',
    before: { model: 'sim-chat' },
    after: null,
  },
  'projects.add': {
    args: { ...acme, ...fresh, name: 'Shop' },
    bad: { ...acme, ...web },
    space: 'acme',
    subject: 'shop',
    before: null,
    after: { id: 'shop', name: 'Shop', space: 'acme' },
  },
  'projectIds.give': {
    args: { ...acme, ids: 'team-*' },
    bad: { ...acme, ids: 'gateway' },
    space: 'acme',
    subject: 'team-*',
    before: null,
    after: { ids: 'team-*', space: 'acme', state: 'given', since: moment },
  },
  'projectIds.release': {
    args: { ...acme, ...spareIds },
    bad: { ...acme, ids: web.id },
    space: 'acme',
    subject: spareIds.ids,
    before: { ...spareIds, ...acme, state: 'given', since: moment },
    after: null,
  },
  'budgets.add': {
    args: { ...acme, name: 'new', ...quietBudget },
    bad: { ...acme, name: calmBudget, ...quietBudget },
    space: 'acme',
    subject: 'new',
    before: null,
    after: expect.objectContaining({ name: 'new', ...shownBudget }),
  },
  'budgets.change': {
    args: { ...acme, budget: calmBudget, amount: '8' },
    bad: { ...acme, budget: calmBudget, new_name: askedBudget },
    space: 'acme',
    subject: calmBudget,
    before: expect.objectContaining({ name: calmBudget, ...shownBudget }),
    after: expect.objectContaining({ name: calmBudget, amount: '8' }),
  },
  'budgets.remove': {
    args: { ...acme, budget: oldBudget },
    bad: { ...acme, budget: 'nowhere' },
    space: 'acme',
    subject: oldBudget,
    before: expect.objectContaining({ name: oldBudget, ...shownBudget }),
    after: null,
  },
  'budgets.ask': {
    args: { ...acme, budget: calmBudget, amount: '2', note: 'a release' },
    bad: { ...acme, budget: calmBudget, amount: '2', value: 'nobody' },
    space: 'acme',
    subject: calmBudget,
    before: null,
    after: expect.objectContaining({ budget: calmBudget, amount: '2', note: 'a release', state: 'pending' }),
  },
  'budgetRequests.decide': {
    args: { ...acme, budget_request: BUDGET_REQUEST, decision: 'once' },
    bad: { ...acme, budget_request: `breq_${'0'.repeat(26)}`, decision: 'once' },
    space: 'acme',
    subject: askedBudget,
    before: expect.objectContaining({ budget: askedBudget, state: 'pending' }),
    after: expect.objectContaining({ budget: askedBudget, state: 'approved_once' }),
  },
  'workloads.add': {
    args: { ...acme, key: 'test', issuer: 'cluster', subject: 'system:serviceaccount:team-a:api' },
    bad: { ...acme, key: 'test', ...workloadRule },
    space: 'acme',
    subject: 'system:serviceaccount:team-a:api',
    before: null,
    after: expect.objectContaining({ key_name: 'test', issuer: 'cluster', claims: [] }),
  },
  'workloads.remove': {
    args: { ...acme, workload: WORKLOAD },
    bad: { ...acme, workload: `wkl_${'0'.repeat(26)}` },
    space: 'acme',
    subject: workloadRule.subject,
    before: expect.objectContaining({ key_name: 'test', ...workloadRule }),
    after: null,
  },
  'workloadSubjects.give': {
    args: { ...acme, issuer: 'cluster', subjects: 'repo:acme/*' },
    bad: { ...acme, ...spareSubjects },
    space: 'acme',
    subject: 'repo:acme/*',
    before: null,
    after: expect.objectContaining({ issuer: 'cluster', subjects: 'repo:acme/*', since: moment }),
  },
  'workloadSubjects.release': {
    args: { ...acme, subjects: SUBJECTS },
    bad: { ...acme, subjects: `wks_${'0'.repeat(26)}` },
    space: 'acme',
    subject: 'repo:spare/*',
    before: expect.objectContaining({ issuer: 'cluster', subjects: 'repo:spare/*' }),
    after: null,
  },
  'projects.rename': {
    args: { ...acme, project: web.id, name: 'The web' },
    bad: { ...acme, project: web.id, name: shut.id },
    space: 'acme',
    subject: web.id,
    before: { name: web.id },
    after: { name: 'The web' },
  },
  'projects.remove': {
    args: { ...acme, project: shut.id },
    bad: { ...acme, project: 'ghost' },
    space: 'acme',
    subject: shut.id,
    before: { id: shut.id, name: shut.id },
    after: null,
  },
  'builds.start': {
    args: { ...acme, project: web.id },
    bad: { ...acme, project: 'ghost' },
    space: 'acme',
    subject: expect.stringMatching(/^bld_/),
    before: null,
    after: { project: web.id, status: 'running' },
  },
  'builds.finish': {
    args: { ...acme, build: BUILD, status: 'failed' },
    bad: { ...acme, build: BUILD, status: 'perhaps' },
    space: 'acme',
    subject: BUILD,
    before: { status: 'running' },
    after: { status: 'failed' },
  },
  'tokens.create': {
    args: { ...acme, name: 'deploy', access: 'write', days: 7 },
    bad: { ...acme, name: 'ci', access: 'read' },
    space: 'acme',
    subject: 'deploy',
    before: null,
    after: expect.objectContaining({ name: 'deploy', access: 'write', hint: tokenHint, expires_at: moment }),
  },
  'tokens.revoke': {
    args: { ...acme, token: TOKEN },
    bad: { ...lab, token: TOKEN },
    space: 'acme',
    subject: 'ci',
    before: { access: 'read' },
    after: { revoked: true },
  },
  'operatorTokens.create': {
    args: { name: 'terraform', access: 'read' },
    bad: { name: 'terraform', access: 'all' },
    space: null,
    subject: 'terraform',
    before: null,
    after: expect.objectContaining({ name: 'terraform', access: 'read', space: null, hint: tokenHint }),
  },
  'operatorTokens.revoke': {
    args: { token: OPERATOR_TOKEN },
    bad: { token: TOKEN },
    space: null,
    subject: 'ops',
    before: { access: 'write' },
    after: { revoked: true },
  },
  'alerts.add': {
    args: { ...acme, name: 'ops', ...newTarget },
    bad: { ...acme, name: 'other', ...newTarget, address: 'ftp://hooks.invalid' },
    space: 'acme',
    subject: 'ops',
    before: null,
    after: expect.objectContaining({ name: 'ops', ...shownTarget, events: null }),
  },
  'alerts.test': {
    args: { ...acme, target: TARGET },
    bad: { ...lab, target: TARGET },
    space: 'acme',
    subject: 'hook',
    before: null,
    after: { delivery: expect.stringMatching(/^dlv_/) },
  },
  'alerts.redeliver': {
    args: { ...acme, delivery: DELIVERY },
    bad: { ...lab, delivery: DELIVERY },
    space: 'acme',
    subject: DELIVERY,
    before: { state: 'failed' },
    after: { state: 'pending' },
  },
  'alerts.set': {
    args: { ...acme, limit_percents: [90], balance_units: '5.5' },
    bad: { ...acme, limit_percents: [0] },
    space: 'acme',
    subject: 'acme',
    before: { limit_percents: [50, 80, 100], balance_units: null, balance_percent: 10, expiry_days: [7, 1] },
    after: { limit_percents: [90], balance_units: '5.5', balance_percent: 10, expiry_days: [7, 1] },
  },
  'alerts.remove': {
    args: { ...acme, target: TARGET },
    bad: { ...lab, target: TARGET },
    space: 'acme',
    subject: 'hook',
    before: expect.objectContaining({ name: 'hook', ...shownTarget }),
    after: null,
  },
  'operatorAlerts.add': {
    args: { name: 'pager', ...newTarget },
    bad: { name: 'pager', ...newTarget, type: 'email' },
    space: null,
    subject: 'pager',
    before: null,
    after: expect.objectContaining({ name: 'pager', ...shownTarget }),
  },
  'operatorAlerts.test': {
    args: { target: OPERATOR_TARGET },
    bad: { target: TARGET },
    space: null,
    subject: 'hook of all',
    before: null,
    after: { delivery: expect.stringMatching(/^dlv_/) },
  },
  'operatorAlerts.redeliver': {
    args: { delivery: OPERATOR_DELIVERY },
    bad: { delivery: DELIVERY },
    space: null,
    subject: OPERATOR_DELIVERY,
    before: { state: 'failed' },
    after: { state: 'pending' },
  },
  'operatorAlerts.remove': {
    args: { target: OPERATOR_TARGET },
    bad: { target: TARGET },
    space: null,
    subject: 'hook of all',
    before: expect.objectContaining({ name: 'hook of all', ...shownTarget }),
    after: null,
  },
  'invitations.create': {
    args: { ...acme, email: 'guest@acme.test', role: 'admin' },
    bad: { ...acme, email: 'guest', role: 'admin' },
    space: 'acme',
    subject: 'guest@acme.test',
    before: null,
    after: expect.objectContaining({ email: 'guest@acme.test', role: 'admin', expires_at: moment }),
  },
  'invitations.revoke': {
    args: { ...acme, invitation: INVITATION },
    bad: { ...lab, invitation: INVITATION },
    space: 'acme',
    subject: 'visitor@acme.test',
    before: { role: 'member' },
    after: { revoked: true },
  },
  'batches.requeue': {
    args: { batch: BATCH },
    bad: { batch: `batch_${'1'.repeat(26)}` },
    space: 'acme',
    subject: BATCH,
    before: { settlement: 'quarantined', reason: 'a line has no usage' },
    after: { settlement: 'queued' },
  },
};

export const reads: { readonly [Name in OperationName]?: InputOf<Name> } = {
  'spaces.list': {},
  'spaces.overview': acme,
  'members.list': acme,
  'keys.list': acme,
  'grants.list': acme,
  'ledger.list': acme,
  'ledger.verify': {},
  'reports.usage': { ...acme, by: 'model' },
  'reports.balance': acme,
  'audit.list': acme,
  'audit.get': { ...acme, line: LINE },
  'batches.list': acme,
  'quarantine.list': {},
  'spaces.get': acme,
  'keys.get': { ...acme, name: 'test' },
  'audit.all': {},
  'audit.getAny': { line: LINE },
  'operators.list': {},
  'aliases.list': acme,
  'projects.list': acme,
  'projectIds.list': acme,
  'workloads.list': acme,
  'budgets.list': acme,
  'budgets.get': { ...acme, budget: calmBudget },
  'budgets.values': { ...acme, budget: calmBudget },
  'budgetRequests.list': acme,
  'workloadSubjects.list': acme,
  'builds.list': { ...acme, project: web.id },
  why: { ref: ACME_CALL },
  'invoices.list': acme,
  'statements.get': acme,
  'reports.focus': acme,
  'usage.days': acme,
  'usage.dimensions': acme,
  'usage.keys': acme,
  'requests.list': acme,
  'requests.get': { ...acme, request: ACME_CALL },
  'batches.get': { ...acme, batch: BATCH },
  'jobs.list': acme,
  'jobs.get': { ...acme, job: JOB },
  'media.list': acme,
  'references.list': acme,
  'models.list': acme,
  'tokens.list': acme,
  'operatorTokens.list': {},
  'invitations.list': acme,
  'alerts.list': acme,
  'alerts.settings': acme,
  'alerts.deliveries': acme,
  'operatorAlerts.list': {},
  'operatorAlerts.deliveries': {},
  'prices.missing': {},
  'reports.margin': { by: 'model' },
  'reports.providerDays': { provider: 'simulator', ...NOVEMBER },
  'reports.providerWork': { provider: 'simulator', model: 'sim-fast', ...NOVEMBER },
  'installation.version': {},
  'installation.health': {},
  'installation.processes': {},
  'installation.config': {},
};

/** What a member has in the matrix of rights; their inputs where those above name things of somebody else. */
export const OWN_CALL = 'OWN_CALL';
export const OWN_BATCH = 'OWN_BATCH';
export const OWN_JOB = 'OWN_JOB';
const mine = { ...acme, name: 'mine' };

export const ownInputs: { readonly [Name in OperationName]?: InputOf<Name> } = {
  'keys.get': mine,
  'keys.create': { ...acme, name: 'mine too', kind: 'personal' },
  'keys.rotate': mine,
  'keys.disable': mine,
  'keys.revoke': mine,
  why: { ref: OWN_CALL },
  'requests.get': { ...acme, request: OWN_CALL },
  'batches.get': { ...acme, batch: OWN_BATCH },
  'jobs.get': { ...acme, job: OWN_JOB },
};

/** An input with which an operation works: for everybody who reaches the whole space, or for a member. */
export function inputOf(name: OperationName, of: 'space' | 'member' = 'space'): Input {
  const all: Input = changes[name]?.args ?? reads[name] ?? {};
  return of === 'member' ? (ownInputs[name] ?? all) : all;
}

/** A test fails for each of them, and says what to do. */
export const operationsWithoutCase = operationNames.filter(
  (name) => !Object.hasOwn(isChange(adminEndpoints[name]) ? changes : reads, name),
);

function labCase(field: string, [from, to]: [unknown, unknown]): Omit<ChangeCase, 'args'> {
  return {
    bad: { space: 'nowhere', allowed: true },
    space: 'lab',
    subject: 'lab',
    before: expect.objectContaining({ [field]: from }),
    after: expect.objectContaining({ [field]: to }),
  };
}

function keyCase<Rule extends object>(
  args: Rule,
  bad: Input,
  field: string,
  [from, to]: [unknown, unknown],
): ChangeCase<Rule & typeof spare> {
  return {
    args: { ...spare, ...args },
    bad: { ...spare, ...bad },
    space: 'acme',
    subject: 'spare',
    before: expect.objectContaining({ [field]: from }),
    after: expect.objectContaining({ [field]: to }),
  };
}

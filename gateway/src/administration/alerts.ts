/** Alerts: targets of a space or of the installation, when a space is warned, and the log of deliveries. */
import { type AlertSettings, readAlertSettings, writeAlertSettings } from '../alerts/alert-settings.store.ts';
import {
  findDelivery,
  type ListedDelivery,
  readDeliveryPage,
  sendAgain,
} from '../alerts/deliveries.store.ts';
import { raiseFor } from '../alerts/events.store.ts';
import {
  type AlertTarget,
  findTarget,
  insertTarget,
  listTargets,
  removeTarget,
} from '../alerts/targets.store.ts';
import { newWebhookSecret, shownWebhookSecret } from '../alerts/webhook-signature.ts';
import type { InputOf } from '../contract/administration/admin-endpoints.ts';
import { ALERT_TARGETS_MAX, type AlertKind, EMAIL } from '../contract/administration/words.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { printUnits } from '../kernel/units.ts';
import { change, read } from './operation.ts';
import { answeredPage, shownRow, wantedPage } from './page.ts';
import { unitsOf } from './read-input.ts';

/** Whose targets; null: of the installation. */
type Of = { readonly id: string; readonly name: string } | null;

export const alertOperations = [
  read('alerts.list', ({ db, space }) => listed(db, space)),
  read('operatorAlerts.list', ({ db }) => listed(db, null)),
  change('alerts.add', ({ tx, now, space }, input) => added(tx, { of: space, now }, input)),
  change('operatorAlerts.add', ({ tx, now }, input) => added(tx, { of: null, now }, input)),
  change('alerts.remove', ({ tx, now, space }, { target }) => removed(tx, { of: space, now }, target)),
  change('operatorAlerts.remove', ({ tx, now }, { target }) => removed(tx, { of: null, now }, target)),
  change('alerts.test', ({ tx, now, space }, { target }) => tested(tx, { of: space, now }, target)),
  change('operatorAlerts.test', ({ tx, now }, { target }) => tested(tx, { of: null, now }, target)),
  read('alerts.settings', async ({ db, space }) => shownSettings(await readAlertSettings(db, space.id))),
  change('alerts.set', async ({ tx, space }, input) => {
    const before = await readAlertSettings(tx, space.id);
    await writeAlertSettings(tx, space.id, changed(before, input));
    const [was, is] = [shownSettings(before), shownSettings(await readAlertSettings(tx, space.id))];
    return { answer: is, subject: space.name, before: was, after: is };
  }),
  read('alerts.deliveries', ({ db, space }, input) => listedDeliveries(db, space, input)),
  read('operatorAlerts.deliveries', ({ db }, input) => listedDeliveries(db, null, input)),
  change('alerts.redeliver', ({ tx, now, space }, { delivery }) =>
    sentAgain(tx, { of: space, now }, delivery),
  ),
  change('operatorAlerts.redeliver', ({ tx, now }, { delivery }) =>
    sentAgain(tx, { of: null, now }, delivery),
  ),
] as const;

async function listed(db: Queryable, of: Of) {
  const data = (await listTargets(db, of?.id ?? null)).map((target) => ({
    ...shown(target),
    created_at: kstOf(target.createdAt),
  }));
  return { data, next_cursor: null };
}

async function added(
  tx: Transaction,
  { of, now }: { of: Of; now: Instant },
  input: InputOf<'operatorAlerts.add'>,
) {
  const { name, type, address, events = null } = input;
  checkAddress(type, address);
  const existing = await listTargets(tx, of?.id ?? null);
  if (existing.some((one) => one.name === name))
    throw new Problem('conflict', { detail: `There is already a target named ${name}.`, param: 'name' });
  if (existing.length >= ALERT_TARGETS_MAX)
    throw new Problem('conflict', {
      detail: `There are ${ALERT_TARGETS_MAX} targets, which is the most. Remove one first.`,
    });
  const secret = type === 'webhook' ? newWebhookSecret() : null;
  const target = { id: newId('target', now), name, type, address, kinds: events, createdAt: now };
  await insertTarget(tx, { ...target, spaceId: of?.id ?? null, secret });
  const after = shown(target);
  const answer = { ...after, secret: secret === null ? null : shownWebhookSecret(secret) };
  return { answer, subject: name, after };
}

/** Only the form: where a name leads is checked whenever something is sent there. */
function checkAddress(type: AlertTarget['type'], address: string): void {
  if (type === 'email') {
    if (EMAIL.test(address) && !/[,;<>"()\\]/.test(address)) return;
    throw new Problem('invalid_parameter', {
      detail: 'address must be an e-mail address.',
      param: 'address',
    });
  }
  const url = URL.canParse(address) ? new URL(address) : null;
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && !/[\s\\]/.test(address);
  if (isWeb && url.username === '' && url.password === '') return;
  throw new Problem('invalid_parameter', {
    detail: 'address must be an https address without a user name or a password.',
    param: 'address',
  });
}

async function removed(tx: Transaction, { of, now }: { of: Of; now: Instant }, id: string) {
  const target = await targetOf(tx, of, id);
  await removeTarget(tx, id, now);
  return {
    answer: { id, name: target.name, removed: true as const },
    subject: target.name,
    before: shown(target),
  };
}

async function tested(tx: Transaction, { of, now }: { of: Of; now: Instant }, id: string) {
  const { name } = await targetOf(tx, of, id);
  const once = newId('evt', now);
  const data = of === null ? {} : { space: of.name };
  const event = {
    kind: 'test' as const,
    spaceId: of?.id ?? null,
    subject: id,
    period: once,
    threshold: '',
    data,
  };
  const delivery = await raiseFor(tx, { targetId: id, event }, now);
  return {
    answer: { id: delivery, target: name, state: 'pending' as const },
    subject: name,
    after: { delivery },
  };
}

async function sentAgain(tx: Transaction, { of, now }: { of: Of; now: Instant }, id: string) {
  const delivery = await findDelivery(tx, { spaceId: of?.id ?? null, id });
  if (delivery === null)
    throw new Problem('not_found', { detail: `There is no delivery ${id} here.`, param: 'delivery' });
  const { state, target } = delivery;
  if (state === 'pending')
    throw new Problem('conflict', { detail: `The delivery ${id} is being sent already. Look at it later.` });
  await sendAgain(tx, id, now);
  const after = { state: 'pending' as const };
  return { answer: { id, target, ...after }, subject: id, before: { state }, after };
}

async function listedDeliveries(db: Queryable, of: Of, input: InputOf<'operatorAlerts.deliveries'>) {
  const { state, event, limit, cursor } = input;
  const page = wantedPage({ ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) });
  const filters = { state, event: event as AlertKind | undefined };
  return answeredPage(
    await readDeliveryPage(db, { spaceId: of?.id ?? null, ...filters, ...page }),
    shownDelivery,
  );
}

function shownDelivery({ kind, ...row }: ListedDelivery) {
  return { event: kind, ...shownRow(row) };
}

async function targetOf(tx: Transaction, of: Of, id: string): Promise<AlertTarget> {
  const target = await findTarget(tx, { spaceId: of?.id ?? null, id });
  if (target !== null) return target;
  throw new Problem('not_found', { detail: `There is no target ${id} here.`, param: 'target' });
}

/** Paths and queries of webhooks are often secrets. */
function shown({ id, name, type, address, kinds }: Omit<AlertTarget, 'createdAt'>) {
  const events = kinds as InputOf<'operatorAlerts.add'>['events'];
  const where = type === 'email' ? address : `${new URL(address).origin}/…`;
  return { id, name, type, address: where, events: events ?? null };
}

function changed(before: AlertSettings, input: InputOf<'alerts.set'>): AlertSettings {
  const { limit_percents, balance_units, balance_percent, expiry_days } = input;
  return {
    limitPercents: limit_percents?.toSorted((a, b) => a - b) ?? before.limitPercents,
    balanceUnits:
      balance_units === undefined
        ? before.balanceUnits
        : balance_units && printUnits(unitsOf(balance_units, { field: 'balance_units' })),
    balancePercent: balance_percent === undefined ? before.balancePercent : balance_percent,
    expiryDays: expiry_days?.toSorted((a, b) => b - a) ?? before.expiryDays,
  };
}

function shownSettings({ limitPercents, balanceUnits, balancePercent, expiryDays }: AlertSettings) {
  return {
    limit_percents: [...limitPercents],
    balance_units: balanceUnits,
    balance_percent: balancePercent,
    expiry_days: [...expiryDays],
  };
}

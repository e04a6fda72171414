/** Writes an event as receivers get it: sentences for people, bodies for programs. Pure. */
import type { AlertKind } from '../contract/administration/words.ts';
import { kstOf } from '../kernel/time.ts';
import type { StoredEvent } from './deliveries.store.ts';

type Data = StoredEvent['data'];

/** One sentence for people, by kind. */
const sentences: Readonly<Record<AlertKind, (data: Data) => string>> = {
  'limit.reached': ({ space, key, member, percent, limit, spent, resets_at }) =>
    `${key === undefined ? `The member ${member}` : `The key ${key}`} of ${space} has used ${spent} of ${limit} units ` +
    `of this month's limit, at least ${percent} %. The limit starts again at ${resets_at}.`,
  'balance.low': ({ space, left, at_most }) =>
    `${space} has ${left} units left, at most the ${at_most} at which it is warned.`,
  'units.expiring': ({ space, units, expires_at }) => `${units} units of ${space} expire at ${expires_at}.`,
  'key.expiring': ({ space, key, expires_at }) => `The key ${key} of ${space} expires at ${expires_at}.`,
  'calls.unpriced': ({ space, model, day, calls }) =>
    `Calls of ${space} to ${model} have no price (${calls} on ${day}): they are not charged until an operator corrects them.`,
  'settlement.quarantined': ({ space, batch_id, reason }) =>
    `The settlement of the batch ${batch_id} of ${space} is on hold: ${reason}. Nothing is charged until an operator resolves it.`,
  'route.down': ({ model, provider, upstream_model }) =>
    `The route of ${model} to ${upstream_model} at ${provider} fails; calls use other routes or are rejected.`,
  test: ({ space }) => `This is a test of the alerts of ${space ?? 'the installation'}.`,
};

const subjects: Readonly<Record<AlertKind, string>> = {
  'limit.reached': 'A monthly limit is used up to a threshold',
  'balance.low': 'Units are running low',
  'units.expiring': 'Units will expire',
  'key.expiring': 'A key will expire',
  'calls.unpriced': 'Calls have no price',
  'settlement.quarantined': 'The settlement of a batch is on hold',
  'route.down': 'A route is down',
  test: 'Test of alerts',
};

/** The body of a webhook. */
export function webhookBody({ kind, at, data }: StoredEvent): string {
  return JSON.stringify({ type: kind, timestamp: kstOf(at), data });
}

/** The body for Slack and what is compatible with it. */
export function slackBody(event: StoredEvent): string {
  const text = sentences[event.kind](event.data);
  // The only characters that its markup reads.
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return JSON.stringify({ text: escaped });
}

export interface AlertMail {
  readonly subject: string;
  readonly text: string;
}

export function alertMail(event: StoredEvent, publicUrl: string | null): AlertMail {
  const { kind, at, data } = event;
  const where = publicUrl === null ? '' : `\n${publicUrl}/console\n`;
  const of = typeof data.space === 'string' ? ` (${data.space})` : '';
  return {
    subject: `[Tollgate] ${subjects[kind]}${of}`,
    text: `${sentences[kind](data)}\n\nAt ${kstOf(at)}. Event ${event.id}, ${kind}.\n${where}`,
  };
}

/** Writes an event as receivers get it: sentences for people, bodies for programs. Pure. */
import type { AlertKind } from '../contract/administration/words.ts';
import { kstOf, monthStart } from '../kernel/time.ts';
import { type CurrencyRate, inCurrency, rateAt, type UnitValue, worthOf } from '../kernel/unit-value.ts';
import type { StoredEvent } from './deliveries.store.ts';

type Data = StoredEvent['data'];
/** Writes what units are worth behind them, in brackets; nothing if the installation does not state it. */
type Bracketed = (...units: unknown[]) => string;

/** One sentence for people, by kind. */
const sentences: Readonly<Record<AlertKind, (data: Data, worth: Bracketed) => string>> = {
  'limit.reached': ({ space, key, member, percent, limit, spent, resets_at }, worth) =>
    `${key === undefined ? `The member ${member}` : `The key ${key}`} of ${space} has used ${spent} of ${limit} units` +
    `${worth(spent, limit)} of this month's limit, at least ${percent} %. The limit starts again at ${resets_at}.`,
  'budget.reached': ({ space, budget, value, percent, amount, spent, resets_at }, worth) =>
    `The budget ${budget}${value === undefined ? '' : ` for ${value}`} of ${space} has used ${spent} of ${amount} units` +
    `${worth(spent, amount)}, at least ${percent} %. ${resets_at === undefined ? 'It is not reset.' : `It starts again at ${resets_at}.`}`,
  'budget.requested': ({ space, budget, value, amount, asked_by, note }, worth) =>
    `${asked_by} asks for ${amount} units${worth(amount)} more of the budget ${budget}${value === undefined ? '' : ` for ${value}`} of ${space}` +
    `${note === undefined ? '.' : `: ${note}`}`,
  'balance.low': ({ space, left, at_most }, worth) =>
    `${space} has ${left} units${worth(left)} left, at most the ${at_most} at which it is warned.`,
  'units.expiring': ({ space, units, expires_at }, worth) =>
    `${units} units${worth(units)} of ${space} expire at ${expires_at}.`,
  'key.expiring': ({ space, key, expires_at }) => `The key ${key} of ${space} expires at ${expires_at}.`,
  'spend.unusual': ({ space, key, day, spent, mean, times }, worth) =>
    `The key ${key} of ${space} has spent ${spent} units${worth(spent)} on ${day}, at least ${times} times its ${mean} on a usual day.`,
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
  'budget.reached': 'A budget is used up to a threshold',
  'budget.requested': 'Somebody asks for more of a budget',
  'balance.low': 'Units are running low',
  'units.expiring': 'Units will expire',
  'key.expiring': 'A key will expire',
  'spend.unusual': 'A key spends more than usual',
  'calls.unpriced': 'Calls have no price',
  'settlement.quarantined': 'The settlement of a batch is on hold',
  'route.down': 'A route is down',
  test: 'Test of alerts',
};

/** The amount of an event that programs get in the currency too. */
const amounts: Readonly<Partial<Record<AlertKind, string>>> = {
  'limit.reached': 'spent',
  'budget.reached': 'spent',
  'budget.requested': 'amount',
  'spend.unusual': 'spent',
  'balance.low': 'left',
  'units.expiring': 'units',
};

/** The rate of the month that an event is about, or of its day: the same in every attempt to send it. */
export function rateOf({ at, data }: StoredEvent, value: UnitValue | null): CurrencyRate | null {
  return rateAt(value, typeof data.month === 'string' ? monthStart(data.month) : at);
}

/** The body of a webhook. */
export function webhookBody({ kind, at, data }: StoredEvent, rate: CurrencyRate | null): string {
  const units = data[amounts[kind] ?? ''];
  const worth = typeof units === 'string' ? worthOf(units, rate) : null;
  const shown = worth === null ? data : { ...data, worth };
  return JSON.stringify({ type: kind, timestamp: kstOf(at), data: shown });
}

/** The body for Slack and what is compatible with it. */
export function slackBody(event: StoredEvent, rate: CurrencyRate | null): string {
  const text = sentenceOf(event, rate);
  // The only characters that its markup reads.
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return JSON.stringify({ text: escaped });
}

export interface AlertMail {
  readonly subject: string;
  readonly text: string;
}

export function alertMail(
  event: StoredEvent,
  { publicUrl, rate }: { publicUrl: string | null; rate: CurrencyRate | null },
): AlertMail {
  const { kind, at, data } = event;
  const where = publicUrl === null ? '' : `\n${publicUrl}/console\n`;
  const of = typeof data.space === 'string' ? ` (${data.space})` : '';
  return {
    subject: `[Tollgate] ${subjects[kind]}${of}`,
    text: `${sentenceOf(event, rate)}\n\nAt ${kstOf(at)}. Event ${event.id}, ${kind}.\n${where}`,
  };
}

function sentenceOf({ kind, data }: StoredEvent, rate: CurrencyRate | null): string {
  return sentences[kind](data, (...units) => {
    const known = units.filter((one) => typeof one === 'string');
    if (rate === null || known.length === 0) return '';
    return ` (${known.map((one) => inCurrency(one, rate)).join(' of ')} ${rate.currency})`;
  });
}

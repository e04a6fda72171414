import { describe, expect, test } from 'vitest';
import { alertKinds } from '../contract/administration/words.ts';
import { monthStart } from '../kernel/time.ts';
import { alertMail, rateOf, slackBody, webhookBody } from './write-alert.ts';

const event = {
  id: 'evt_1',
  kind: 'key.expiring',
  at: Date.parse('2026-11-16T05:20:31Z'),
  data: { space: 'acme', key: '<!channel> & co', expires_at: '2026-11-17T00:00:00+09:00' },
} as const;

test('a webhook has the type, the time in KST and the facts', () => {
  expect(JSON.parse(webhookBody(event, null))).toEqual({
    type: 'key.expiring',
    timestamp: '2026-11-16T14:20:31+09:00',
    data: event.data,
  });
});

test('names cannot use the markup of Slack', () => {
  const { text } = JSON.parse(slackBody(event, null)) as { text: string };
  expect(text).toBe('The key &lt;!channel&gt; &amp; co of acme expires at 2026-11-17T00:00:00+09:00.');
});

test('an e-mail names the space, the event and where the console is', () => {
  const { subject, text } = alertMail(event, { publicUrl: 'https://tollgate.example.com', rate: null });
  expect(subject).toBe('[Tollgate] A key will expire (acme)');
  expect(text).toContain('The key <!channel> & co of acme expires at 2026-11-17T00:00:00+09:00.');
  expect(text).toContain('evt_1');
  expect(text).toContain('https://tollgate.example.com/console');
});

test.each(alertKinds)('%s has a sentence that says something without any facts', (kind) => {
  const rate = { currency: 'EUR', per_unit: '0.92' };
  expect(alertMail({ ...event, kind, data: {} }, { publicUrl: null, rate }).text).not.toContain('[object');
});

describe('an installation that states what units are worth', () => {
  const value = {
    currency: 'EUR',
    rates: [
      { from: null, perUnit: '0.5' },
      { from: monthStart('2026-11'), perUnit: '0.92' },
      { from: event.at, perUnit: '2' },
    ],
  };
  const limit = { space: 'acme', key: 'app', percent: 80, limit: '10', spent: '9.375', month: '2026-11' };
  const events = [
    [
      'limit.reached',
      limit,
      'has used 9.375 of 10 units (8.62 of 9.20 EUR) of this',
      { amount: '8.62', per_unit: '0.92' },
    ],
    [
      'balance.low',
      { space: 'acme', left: '9', at_most: '10' },
      'acme has 9 units (18.00 EUR) left, at most the 10 at',
      { amount: '18.00', per_unit: '2' },
    ],
    [
      'units.expiring',
      { space: 'acme', units: '0.0025', expires_at: 'then' },
      '0.0025 units (0.00 EUR) of acme expire',
      { amount: '0.00', per_unit: '2' },
    ],
  ] as const;

  test.each(events)('shows both in %s, at the rate of its month or day', (kind, data, text, worth) => {
    const one = { ...event, kind, data };
    const rate = rateOf(one, value);
    expect(alertMail(one, { publicUrl: null, rate }).text).toContain(text);
    expect(JSON.parse(slackBody(one, rate))).toEqual({ text: expect.stringContaining(text) });
    const body = JSON.parse(webhookBody(one, rate)) as { data: object };
    expect(body.data).toEqual({ ...data, worth: { currency: 'EUR', ...worth } });
  });

  test.each(events)('shows only units in %s if it does not', (kind, data) => {
    const one = { ...event, kind, data };
    const rate = rateOf(one, null);
    expect(alertMail(one, { publicUrl: null, rate }).text).not.toMatch(/EUR|\d\)/);
    expect(JSON.parse(webhookBody(one, rate))).toMatchObject({ data });
    expect(webhookBody(one, rate)).not.toContain('worth');
  });
});

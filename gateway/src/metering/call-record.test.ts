import { expect, test } from 'vitest';
import { parseUnits } from '../kernel/units.ts';
import { type CallRecord, callRow } from './call-record.ts';

const record: CallRecord = {
  id: 'req_1',
  spaceId: 'spc_1',
  keyId: 'key_1',
  memberId: null,
  endpoint: 'chat',
  model: 'm',
  provider: 'p',
  upstreamModel: 'u',
  streamed: false,
  outcome: 'completed',
  problem: null,
  finishReason: 'stop',
  usage: null,
  usageSource: 'none',
  priceVersion: null,
  charge: null,
  attempts: 1,
  startedAt: Date.parse('2026-10-31T14:59:58.000Z'),
  firstByteMs: null,
  durationMs: 2.6,
  chargedAt: Date.parse('2026-10-31T15:00:00.000Z'),
};

test('a call belongs to the Korean month in which it was charged', () => {
  expect(JSON.parse(callRow(record)).month).toBe('2026-11');
  const before = { ...record, chargedAt: record.chargedAt - 1 };
  expect(JSON.parse(callRow(before)).month).toBe('2026-10');
});

test('amounts are decimal strings, and an unknown cost is left out, never zero', () => {
  const amount = parseUnits('0.000000000001');
  const line = { component: 'input', count: 1, price: amount, amount } as const;
  const row = JSON.parse(callRow({ ...record, charge: { total: amount, lines: [line] } }));
  expect(row.cost).toBe('0.000000000001');
  expect(row.charge_lines).toEqual([
    { component: 'input', count: 1, price: '0.000000000001', amount: '0.000000000001' },
  ]);
  expect(JSON.parse(callRow(record))).not.toHaveProperty('cost');
});

test.each([
  ['a NUL', 'st\0op', 'stop'],
  ['half a character', 'stop\ud800', 'stop\ufffd'],
  ['far too much', 'x'.repeat(1_000), 'x'.repeat(64)],
  ['a number', 5 as unknown as string, undefined],
  ['quotes', 'a"b', 'a"b'],
])("a provider's finish reason with %s is made fit to be stored", (_, sent, stored) => {
  expect(JSON.parse(callRow({ ...record, finishReason: sent })).finish_reason).toBe(stored);
});

import { expect, test } from 'vitest';
import { parseUnits } from '../kernel/units.ts';
import { type CallRecord, callColumns, callRow } from './call-record.ts';

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
  tried: [],
  startedAt: Date.parse('2026-10-31T14:59:58.000Z'),
  firstByteMs: null,
  durationMs: 2.6,
  chargedAt: Date.parse('2026-10-31T15:00:00.000Z'),
};

/** The fields of a row by their columns. */
function fieldsOf(call: CallRecord): Record<string, string> {
  const fields = callRow(call).split('\x1f');
  expect(fields).toHaveLength(callColumns.length);
  return Object.fromEntries(callColumns.map((column, i) => [column, fields[i] as string]));
}

test('a call belongs to the calendar month (KST) in which it was charged', () => {
  expect(fieldsOf(record).month).toBe('2026-11');
  const before = { ...record, chargedAt: record.chargedAt - 1 };
  expect(fieldsOf(before).month).toBe('2026-10');
});

test('amounts are decimal strings, and an unknown cost is empty, never zero', () => {
  const amount = parseUnits('0.000000000001');
  const line = { component: 'input', count: 1, price: amount, amount } as const;
  const row = fieldsOf({ ...record, charge: { total: amount, lines: [line] } });
  expect(row.cost).toBe('0.000000000001');
  expect(JSON.parse(row.charge_lines as string)).toEqual([
    { component: 'input', count: 1, price: '0.000000000001', amount: '0.000000000001' },
  ]);
  expect(fieldsOf(record).cost).toBe('');
});

test.each([
  ['a NUL', 'st\0op', 'stop'],
  ['half a character', 'stop\ud800', 'stop\ufffd'],
  ['separators', 'st\x1fo\x1ep', 'stop'],
  ['far too much', 'x'.repeat(1_000), 'x'.repeat(200)],
  ['a number', 5 as unknown as string, ''],
  ['quotes', 'a"b', 'a"b'],
])("a provider's finish reason with %s is made fit to be stored", (_, sent, stored) => {
  expect(fieldsOf({ ...record, finishReason: sent }).finish_reason).toBe(stored);
});

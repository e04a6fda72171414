import { expect, test } from 'vitest';
import { displayWidth, layOutTable, type Row, type TableOptions, wrapText } from './table.ts';

const rows = [
  { id: 'key_01j9x8w7v6t5s4r3q2p1n0m9k8', name: 'ci', note: 'for the build server of the whole team' },
  { id: 'key_2', name: '김민수', note: null },
];
const columns = ['id', 'name', 'note'];

const tableLines = (of: readonly Row[], names: readonly string[], options: TableOptions) =>
  layOutTable(of, names, options).lines;

test('columns are aligned, also where a character takes two columns', () => {
  expect(tableLines(rows, columns, { width: null })).toEqual([
    'ID                              NAME    NOTE',
    'key_01j9x8w7v6t5s4r3q2p1n0m9k8  ci      for the build server of the whole team',
    'key_2                           김민수  -',
  ]);
});

test('a table fits its terminal: the widest column is cut, ids are not', () => {
  const lines = tableLines(rows, columns, { width: 70 });
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(70);
  expect(lines[1]).toBe('key_01j9x8w7v6t5s4r3q2p1n0m9k8  ci      for the build server of the w…');
});

test('where even that does not fit, the last columns are left out', () => {
  expect(tableLines(rows, columns, { width: 52 })).toEqual([
    'ID                              NAME',
    'key_01j9x8w7v6t5s4r3q2p1n0m9k8  ci',
    'key_2                           김민수',
  ]);
  expect(tableLines([{ note: 'a long text' }], ['note'], { width: 8 })[1]).toBe('a long …');
});

test('what is left out is said, unless there was nothing in it', () => {
  const wide = { ...rows[0], reason: null, cost: '0.000000000001' };
  expect(layOutTable([wide], ['id', 'name', 'reason', 'cost'], { width: 40 }).leftOut).toEqual(['cost']);
});

test('a number is never cut, and a long header takes several lines', () => {
  const row = { model: 'sim-chat', charge: '137.857957050001', charge_unknown: 0, note: 'x'.repeat(40) };
  expect(tableLines([row], Object.keys(row), { width: 56 })).toEqual([
    'MODEL     CHARGE            CHARGE   NOTE',
    '                            UNKNOWN',
    'sim-chat  137.857957050001  0        xxxxxxxxxxxxxxxxxx…',
  ]);
});

test('a sentence is broken at spaces, and what has no spaces is not', () => {
  const link = `http://localhost:8080/${'x'.repeat(40)}`;
  expect(wrapText(`see ${link} for more`, { width: 30, indent: 4 })).toBe(`see\n    ${link}\n    for more`);
  expect(wrapText('as it is', { width: null, indent: 4 })).toBe('as it is');
});

test('a terminal shows times to the minute, a pipe as they are', () => {
  const row = { at: '2026-12-31T23:59:59+09:00' };
  expect(tableLines([row], ['at'], { width: 80 })[1]).toBe('2026-12-31 23:59');
  expect(tableLines([row], ['at'], { width: null })[1]).toBe('2026-12-31T23:59:59+09:00');
});

test('values are shown as people write them, and a control character cannot move the cursor', () => {
  const row = { a: true, b: ['x', 'y'], c: { d: 1 }, e: 'x\u001b[2Jy', f: '' };
  expect(tableLines([row], Object.keys(row), { width: null })[1]).toBe('yes  x, y  {"d":1}  x [2Jy  -');
});

import { expect, test } from 'vitest';
import { displayWidth, tableLines } from './table.ts';

const rows = [
  { id: 'key_01j9x8w7v6t5s4r3q2p1n0m9k8', name: 'ci', note: 'for the build server of the whole team' },
  { id: 'key_2', name: '김민수', note: null },
];
const columns = ['id', 'name', 'note'];

test('columns are aligned, also where a character takes two columns', () => {
  expect(tableLines(rows, columns, { width: null })).toEqual([
    'ID                              NAME    NOTE',
    'key_01j9x8w7v6t5s4r3q2p1n0m9k8  ci      for the build server of the whole team',
    'key_2                           김민수  -',
  ]);
});

test('a table fits its terminal: the widest column is cut, ids are not', () => {
  const lines = tableLines(rows, columns, { width: 60 });
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(60);
  expect(lines[1]).toBe('key_01j9x8w7v6t5s4r3q2p1n0m9k8  ci      for the build serve…');
});

test('a terminal that is too narrow for the least width of each column is left to wrap the lines', () => {
  const lines = tableLines(rows, columns, { width: 10 });
  expect(lines[1]).toBe('key_01j9x8w7v6t5s4r3q2p1n0m9k8  ci      for t…');
  expect(lines[2]).toMatch(/김민수 {2}-$/);
});

test('values are shown as people write them, and a control character cannot move the cursor', () => {
  const row = { a: true, b: ['x', 'y'], c: { d: 1 }, e: 'x\u001b[2Jy', f: '' };
  expect(tableLines([row], Object.keys(row), { width: null })[1]).toBe('yes  x, y  {"d":1}  x [2Jy  -');
});

import { expect, test } from 'vitest';
import { pageById } from './page-by-id.ts';
import { allOf, sql } from './sql.ts';

test('values stand apart from the text, in order', () => {
  expect(sql`select ${1}, ${'a'}, ${['b']}`).toEqual({ text: 'select $1, $2, $3', values: [1, 'a', ['b']] });
});

test('a part of a statement keeps its values, wherever it stands', () => {
  const condition = sql`a = ${1} and b = ${2}`;
  expect(sql`select ${'x'} where ${condition} or c = ${3} or ${condition}`).toEqual({
    text: 'select $1 where a = $2 and b = $3 or c = $4 or a = $5 and b = $6',
    values: ['x', 1, 2, 3, 1, 2],
  });
  expect(sql`${sql``}select ${null}`).toEqual({ text: 'select $1', values: [null] });
});

test('a value that looks like a part stays a value', () => {
  const text = '$1 or true';
  expect(sql`select ${sql`${text}`}, ${text}`).toEqual({ text: 'select $1, $2', values: [text, text] });
});

test('all conditions must hold; none is true', () => {
  expect(allOf([])).toEqual({ text: 'true', values: [] });
  const conditions = [sql`a = ${1}`, sql`b is null`, sql`c = ${2}`];
  expect(allOf(conditions)).toEqual({ text: 'a = $1 and b is null and c = $2', values: [1, 2] });
});

test('a page asks for one row more than it has, in either order', () => {
  expect(pageById({ after: null, limit: 20 })).toEqual({
    text: 'id < $1 order by id desc limit $2',
    values: ['~', 21],
  });
  expect(pageById({ after: 'job_1', limit: 1, order: 'asc' })).toEqual({
    text: 'id > $1 order by id limit $2',
    values: ['job_1', 2],
  });
});

import { expect, test } from 'vitest';
import { pageById } from './page-by-id.ts';
import { sql } from './sql.ts';

test('the values of a part are numbered where the part stands', () => {
  const part = sql`b = ${2} and c = any (${['x', 'y']})`;
  expect(sql`select ${sql`id, b`} from t where a = ${1} and ${part} and d = ${null} or ${part}`).toEqual({
    text: 'select id, b from t where a = $1 and b = $2 and c = any ($3) and d = $4 or b = $5 and c = any ($6)',
    values: [1, 2, ['x', 'y'], null, 2, ['x', 'y']],
  });
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

/** The month of a space for people who pay: the statement, and the same figures in the FOCUS format. */
import { monthOf, monthStart } from '../kernel/time.ts';
import { worthOf } from '../kernel/unit-value.ts';
import { focusRow } from '../reports/focus-row.ts';
import { readFocusPage } from '../reports/lists/focus-page.store.ts';
import { monthStatement } from '../reports/statement.ts';
import { read } from './operation.ts';
import { answeredPage, wantedPage } from './page.ts';

/** The rate at the start of the month holds for all of it, so a statement never changes with later rates. */
const statement = read('statements.get', async ({ db, now, space, rate }, { month = monthOf(now) }) => {
  const content = await monthStatement(db, { spaceId: space.id, month, now });
  return { space: space.name, ...content, worth: worthOf(content.charged, await rate(monthStart(month))) };
});

const focus = read('reports.focus', async ({ db, now, space }, input) => {
  const { month = monthOf(now) } = input;
  const page = await readFocusPage(db, { spaceId: space.id, month, ...wantedPage(input) });
  return answeredPage(page, (row) => focusRow(row, { space, month }));
});

export const statementOperations = [statement, focus] as const;

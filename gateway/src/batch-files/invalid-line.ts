/** The error for a batch file with bad rows: describes the first fault and lists all of up to 100 rows. Pure. */
import { Problem } from '../kernel/problem.ts';
import type { BatchFileReport } from './check-batch-file.ts';

export function invalidLine({ badRows, badRowCount, listedRowCount }: BatchFileReport): Problem {
  const [first] = badRows;
  if (first === undefined) throw new Error('the file has no bad row');
  const described = `Row ${first.row}, ${first.reason}: ${first.advice}`;
  const listed = listedRowCount === badRowCount ? 'all of them' : `the first ${listedRowCount}`;
  const rest = badRowCount === 1 ? '' : ` ${badRowCount} rows are not valid; error.rows lists ${listed}.`;
  return new Problem('invalid_line', {
    detail: `${described}${rest}`,
    param: first.field ?? 'file',
    rows: badRows.map(({ row, reason, field }) => ({ row, reason, field })),
  });
}

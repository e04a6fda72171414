/**
 * Every format on every dialect, whole and streamed: each cell of the matrix goes through the real
 * gateway to the simulator. It works, with the record and the reply in step, or it is a refusal that
 * the table in matrix/dialects.ts declares. There is no third way: nothing is lost in silence.
 * `matrix.long.test.ts` runs the cells that are left out here (matrix/cells.ts).
 */
import { describe } from 'vitest';
import { describeCells, usualCells } from '../matrix/cells.ts';
import { oneEngine } from '../support/engines.ts';

describe.each(oneEngine('postgres', 'translation'))('the matrix on %s', (engine) => {
  describeCells(engine, usualCells);
});

/** The cells of the matrix that `matrix.test.ts` leaves out (matrix/cells.ts): what strict models and Azure take like the others. */
import { describe } from 'vitest';
import { describeCells, rareCells } from '../matrix/cells.ts';
import { oneEngine } from '../support/engines.ts';

describe.each(oneEngine('postgres', 'translation'))('the rest of the matrix on %s', (engine) => {
  describeCells(engine, rareCells);
});

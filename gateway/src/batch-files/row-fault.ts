/** What is wrong with one row of a batch file. */
import type { RowReason } from '../contract/files.ts';

export interface RowFault {
  readonly reason: RowReason;
  /** The path of the field at fault, such as `body.service_tier`; null when it is the row as a whole. */
  readonly field: string | null;
  /** What is wrong and what to do, as a sentence. */
  readonly advice: string;
}

export interface BadRow extends RowFault {
  /** The number of the line in the file, from 1. */
  readonly row: number;
}

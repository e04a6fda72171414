/** What is wrong with one row of a batch file. */
import type { RowReason } from './batch-limits.ts';

export interface RowFault {
  readonly reason: RowReason;
  /** The path of the faulty field, such as `body.service_tier`; null for the whole row. */
  readonly field: string | null;
  /** A sentence: what is wrong and how to fix it. */
  readonly advice: string;
}

export interface BadRow extends RowFault {
  /** The line number in the file, starting at 1. */
  readonly row: number;
}

/** What is wrong with one row of a batch file. */
import { printSentence, type SentenceValues } from '../../kernel/sentence.ts';
import type { RowReason } from './batch-limits.ts';
import { type RowSentence, type RowSentenceName, rowSentences } from './row-sentences.ts';

export interface RowFault {
  readonly reason: RowReason;
  /** The path of the faulty field, such as `body.service_tier`; null for the whole row. */
  readonly field: string | null;
  /** What is wrong and how to fix it. */
  readonly advice: string;
  /** The advice for other languages. */
  readonly sentences: readonly RowSentence[];
}

export interface BadRow extends RowFault {
  /** The line number in the file, starting at 1. */
  readonly row: number;
}

/** A fault with one sentence. */
export function rowFault(
  [reason, field]: readonly [RowReason, field: string | null],
  name: RowSentenceName,
  values: SentenceValues = {},
): RowFault {
  return faultOf([reason, field], [{ name, values }]);
}

export function faultOf(
  [reason, field]: readonly [RowReason, field: string | null],
  sentences: readonly RowSentence[],
): RowFault {
  const advice = sentences.map((sentence) => printSentence(rowSentences, sentence)).join(' ');
  return { reason, field, advice, sentences };
}

/** A value of the file, short enough to be shown. */
export function quotedValue(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/**
 * Counts the embedding inputs of one line and checks the limits. A text is one input, and so is a list of token ids; a
 * list of either has as many inputs as items. No list may have more than 2,048 items. Pure.
 */
import { EMBEDDING_ELEMENTS_MAX } from './batch-limits.ts';
import { type RowFault, rowFault } from './row-fault.ts';
import type { RowSentenceName } from './row-sentences.ts';

export interface CountedInputs {
  readonly inputs: number;
  readonly fault: RowFault | null;
}

const FIELD = 'body.input';

export function checkEmbeddingInput(input: unknown): CountedInputs {
  if (typeof input === 'string') return input === '' ? wrong(FIELD, 'not_text') : counted(1);
  if (!Array.isArray(input)) return wrong(FIELD, 'not_input');
  const tooLong = checkLength(input, FIELD);
  if (tooLong !== null) return { inputs: 0, fault: tooLong };
  const [first] = input as unknown[];
  if (typeof first === 'number') return checkItems(input, { path: FIELD, ...TOKEN }, 1);
  if (typeof first === 'string') return checkItems(input, { path: FIELD, ...TEXT }, input.length);
  return checkLists(input);
}

function checkLists(lists: readonly unknown[]): CountedInputs {
  for (const [i, list] of lists.entries()) {
    const path = `${FIELD}[${i}]`;
    if (!Array.isArray(list)) return wrong(path, 'not_like_first');
    const tooLong = checkLength(list, path);
    if (tooLong !== null) return { inputs: 0, fault: tooLong };
    const checked = checkItems(list, { path, ...TOKEN }, 1);
    if (checked.fault !== null) return checked;
  }
  return counted(lists.length);
}

function checkItems(
  items: readonly unknown[],
  wanted: ItemRule & { path: string },
  inputs: number,
): CountedInputs {
  const at = items.findIndex((item) => !wanted.is(item));
  return at < 0 ? counted(inputs) : wrong(`${wanted.path}[${at}]`, wanted.otherwise);
}

function checkLength(list: readonly unknown[], path: string): RowFault | null {
  if (list.length === 0) return rowFault(['invalid_type', path], 'empty_list', { field: path });
  if (list.length <= EMBEDDING_ELEMENTS_MAX) return null;
  const values = { field: path, count: list.length, max: EMBEDDING_ELEMENTS_MAX };
  return rowFault(['embedding_array_too_long', path], 'long_list', values);
}

function counted(inputs: number): CountedInputs {
  return { inputs, fault: null };
}

function wrong(field: string, name: RowSentenceName): CountedInputs {
  return { inputs: 0, fault: rowFault(['invalid_type', field], name, { field }) };
}

interface ItemRule {
  readonly otherwise: RowSentenceName;
  is(item: unknown): boolean;
}

const TOKEN: ItemRule = { is: isTokenId, otherwise: 'not_token' };
const TEXT: ItemRule = { is: isText, otherwise: 'not_text' };

function isText(item: unknown): boolean {
  return typeof item === 'string' && item !== '';
}

function isTokenId(item: unknown): boolean {
  return Number.isInteger(item) && (item as number) >= 0;
}

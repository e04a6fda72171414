/**
 * Counts the embedding inputs of one line and checks the limits. A text is one input, and so is a list of token ids; a
 * list of either has as many inputs as items. No list may have more than 2,048 items. Pure.
 */
import { EMBEDDING_ELEMENTS_MAX } from './batch-limits.ts';
import type { RowFault } from './row-fault.ts';

export interface CountedInputs {
  readonly inputs: number;
  readonly fault: RowFault | null;
}

const FIELD = 'body.input';

export function checkEmbeddingInput(input: unknown): CountedInputs {
  if (typeof input === 'string') return input === '' ? wrong(FIELD, 'a text that is not empty') : counted(1);
  if (!Array.isArray(input)) return wrong(FIELD, 'a text, a list of texts, or token ids');
  const tooLong = checkLength(input, FIELD);
  if (tooLong !== null) return { inputs: 0, fault: tooLong };
  const [first] = input as unknown[];
  if (typeof first === 'number')
    return checkItems(input, { path: FIELD, is: isTokenId, kind: 'a token id' }, 1);
  if (typeof first === 'string') {
    return checkItems(input, { path: FIELD, is: isText, kind: 'a text that is not empty' }, input.length);
  }
  return checkLists(input);
}

function checkLists(lists: readonly unknown[]): CountedInputs {
  for (const [i, list] of lists.entries()) {
    const path = `${FIELD}[${i}]`;
    if (!Array.isArray(list))
      return wrong(path, 'a text, a token id, or a list of token ids, as input[0] is');
    const tooLong = checkLength(list, path);
    if (tooLong !== null) return { inputs: 0, fault: tooLong };
    const checked = checkItems(list, { path, is: isTokenId, kind: 'a token id' }, 1);
    if (checked.fault !== null) return checked;
  }
  return counted(lists.length);
}

function checkItems(
  items: readonly unknown[],
  wanted: { path: string; is: (item: unknown) => boolean; kind: string },
  inputs: number,
): CountedInputs {
  const at = items.findIndex((item) => !wanted.is(item));
  return at < 0 ? counted(inputs) : wrong(`${wanted.path}[${at}]`, wanted.kind);
}

function checkLength(list: readonly unknown[], path: string): RowFault | null {
  if (list.length === 0) return { reason: 'invalid_type', field: path, advice: `${path} must not be empty.` };
  if (list.length <= EMBEDDING_ELEMENTS_MAX) return null;
  return {
    reason: 'embedding_array_too_long',
    field: path,
    advice: `${path} has ${list.length} elements; a list in a batch file has at most ${EMBEDDING_ELEMENTS_MAX}.`,
  };
}

function counted(inputs: number): CountedInputs {
  return { inputs, fault: null };
}

function wrong(field: string, wanted: string): CountedInputs {
  return { inputs: 0, fault: { reason: 'invalid_type', field, advice: `${field} must be ${wanted}.` } };
}

function isText(item: unknown): boolean {
  return typeof item === 'string' && item !== '';
}

function isTokenId(item: unknown): boolean {
  return Number.isInteger(item) && (item as number) >= 0;
}

/**
 * Checks an embeddings request. Explains mistakes in `input`, for which the union in the schema says too
 * little.
 */
import { nextTurn } from '../kernel/next-turn.ts';
import { Problem } from '../kernel/problem.ts';
import { Shape } from './check-shape.ts';
import { EmbeddingsRequest, INPUTS_MAX, TOKEN_IDS_MAX } from './embeddings.ts';

const shape = new Shape(EmbeddingsRequest);

/** Returns the request with its type, or throws a Problem that names the field. */
export function checkEmbeddingsRequest(value: unknown): EmbeddingsRequest {
  if (!shape.matches(value) && typeof value === 'object' && value !== null && 'input' in value) {
    explainInput(value.input);
  }
  return shape.check(value);
}

/** The same for requests with up to a million token ids: their lists are checked in slices. */
export async function checkLongEmbeddingsRequest(value: Record<string, unknown>): Promise<EmbeddingsRequest> {
  const { input } = value;
  if (!Array.isArray(input)) return checkEmbeddingsRequest(value);
  const [first] = input as unknown[];
  checkLength('input', input, typeof first === 'number' ? TOKEN_IDS_MAX : INPUTS_MAX);
  if (!Array.isArray(first)) return checkEmbeddingsRequest(value);
  let looked = 0;
  for (const [i, item] of (input as unknown[]).entries()) {
    explainList(item, i);
    looked += (item as unknown[]).length;
    if (looked < ITEMS_PER_TURN) continue;
    looked = 0;
    await nextTurn();
  }
  // The input is checked; check the other fields.
  shape.check({ ...value, input: 'checked' });
  return value as EmbeddingsRequest;
}

const ITEMS_PER_TURN = 50_000;

function explainInput(input: unknown): void {
  if (input === '') throw wrong('input', 'must not be empty');
  if (!Array.isArray(input)) return;
  const [first] = input as unknown[];
  checkLength('input', input, typeof first === 'number' ? TOKEN_IDS_MAX : INPUTS_MAX);
  if (typeof first === 'string') explainItems(input, { kind: 'a text', fault: textFault });
  else if (typeof first === 'number') explainItems(input, { kind: 'a token id', fault: tokenFault });
  else if (Array.isArray(first)) explainLists(input);
  else throw wrong('input[0]', 'must be a text, a token id or a list of token ids');
}

interface Item {
  /** The kind of the first item, which all others must have. */
  readonly kind: string;
  /** What is wrong with an item; null: nothing. */
  fault(item: unknown): string | null;
}

function explainItems(items: readonly unknown[], { kind, fault }: Item, path = 'input'): void {
  for (const [i, item] of items.entries()) {
    const found = fault(item);
    if (found === MIXED) throw wrong(`${path}[${i}]`, `must be ${kind}, as ${path}[0] is`);
    if (found !== null) throw wrong(`${path}[${i}]`, found);
  }
}

function explainLists(lists: readonly unknown[]): void {
  for (const [i, item] of lists.entries()) explainList(item, i);
}

function explainList(item: unknown, i: number): void {
  if (!Array.isArray(item)) throw wrong(`input[${i}]`, 'must be a list of token ids, as input[0] is');
  checkLength(`input[${i}]`, item, TOKEN_IDS_MAX);
  if (typeof item[0] !== 'number') throw wrong(`input[${i}][0]`, 'must be a token id');
  // The fast check for valid lists comes first.
  if (item.every(isTokenId)) return;
  explainItems(item, { kind: 'a token id', fault: tokenFault }, `input[${i}]`);
}

const MIXED = 'mixed';

function textFault(item: unknown): string | null {
  if (typeof item !== 'string') return MIXED;
  return item === '' ? 'must not be empty' : null;
}

function isTokenId(item: unknown): boolean {
  return Number.isInteger(item) && (item as number) >= 0;
}

function tokenFault(item: unknown): string | null {
  if (typeof item !== 'number') return MIXED;
  return Number.isInteger(item) && item >= 0 ? null : 'must be a token id: a whole number, 0 or more';
}

function checkLength(path: string, items: readonly unknown[], most: number): void {
  if (items.length === 0) throw wrong(path, 'must not be an empty list');
  if (items.length <= most) return;
  throw new Problem('batch_too_large', {
    detail: `${path} has ${items.length} items; at most ${most} are accepted.`,
    param: path,
  });
}

function wrong(path: string, message: string): Problem {
  return new Problem('invalid_parameter', { detail: `${path} ${message}.`, param: path });
}

/** A whole list as comma-separated values: every page, under one header. */
import type { InputOf, OperationName } from '../../../gateway/src/contract/administration/admin-endpoints.ts';
import { csvAddress } from './ask-console.ts';
import { CallFailed, failureOf } from './failure.ts';

/** The most rows of one answer. */
const ROWS_MAX = 1_000;

export async function readWholeCsv<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
): Promise<string> {
  let [text, cursor]: [string, string | null] = ['', null];
  do {
    const page = { ...input, limit: ROWS_MAX, ...(cursor !== null && { cursor }) } as InputOf<Name>;
    const response = await fetch(csvAddress(name, page));
    if (!response.ok) throw new CallFailed(await failureOf(response));
    const part = await response.text();
    text += text === '' ? part : withoutHeader(part);
    cursor = response.headers.get('x-next-cursor');
  } while (cursor !== null);
  return text;
}

/** Names of columns contain no line break, so the header is the first line. */
function withoutHeader(part: string): string {
  return part.slice(part.indexOf('\n') + 1);
}

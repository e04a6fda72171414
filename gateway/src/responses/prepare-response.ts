/** Turns a response into what is stored: its items and its head as JSON, with its large media as blobs. */
import type { OwnerScope } from '../access/principal.ts';
import { type MediaKeeperTools, writeMedia } from './media-keeper.ts';
import type { Item } from './read-turn.ts';
import type { ResponseToKeep } from './store-responses.ts';
import { type TakenMedium, takeMedia } from './take-media.ts';

/** Size of a row in addition to its items. */
const ROW_BYTES = 1_024;

export interface ResponseItems {
  readonly id: string;
  readonly previousId: string | null;
  readonly input: readonly Item[];
  readonly output: readonly unknown[];
  /** The rest of the response object, without its cost. */
  readonly head: Item;
}

export type PrepareResponseTools = MediaKeeperTools & {
  readonly limits: { readonly responseBytesMax: number };
};

/** Null if it is too large. */
export async function prepareResponse(
  response: ResponseItems & OwnerScope,
  tools: PrepareResponseTools,
): Promise<Omit<ResponseToKeep, 'expiresAt'> | null> {
  const { spaceId, owner, id, previousId } = response;
  const [input, output] = [withoutMedia(response.input), withoutMedia(response.output)];
  const head = JSON.stringify(response.head);
  const bytes = byteLengths(input.json, output.json, head) + ROW_BYTES;
  if (bytes > tools.limits.responseBytesMax) return null;
  const taken = [...placed('input', input.taken), ...placed('output', output.taken)];
  const media = taken.length === 0 ? [] : await writeMedia(taken, { spaceId, owner }, tools);
  const itemIds = itemIdsOf(response.output);
  return {
    spaceId,
    owner,
    id,
    previousId,
    input: input.json,
    output: output.json,
    head,
    itemIds,
    bytes,
    media,
  };
}

export type PreparedEnd = Omit<ResponseToKeep, 'expiresAt' | 'input' | 'previousId'>;

/** The end of a background response: its input is stored already. Null if it is too large. */
export async function prepareEnd(
  response: Pick<ResponseItems, 'id' | 'output' | 'head'> & OwnerScope,
  tools: PrepareResponseTools,
): Promise<PreparedEnd | null> {
  const prepared = await prepareResponse({ ...response, previousId: null, input: [] }, tools);
  if (prepared === null) return null;
  const { input: _, previousId: __, ...end } = prepared;
  return { ...end, bytes: byteLengths(end.output, end.head) };
}

function itemIdsOf(output: readonly unknown[]): string[] {
  const ids = (output as Item[]).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  return [...new Set(ids)];
}

function byteLengths(...texts: string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function withoutMedia(items: readonly unknown[]): { json: string; taken: readonly TakenMedium[] } {
  const { items: rest, taken } = takeMedia(items);
  return { json: JSON.stringify(rest), taken };
}

function placed(list: 'input' | 'output', taken: readonly TakenMedium[]): TakenMedium[] {
  return taken.map(({ place, text }) => ({ place: `${list}/${place}`, text }));
}

/** Reads the items of a kept response, with their media put back. */
import type { Blobs } from '../blobs/blobs.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { KeptTurn } from './kept-responses.store.ts';
import { readMedium } from './media-keeper.ts';
import { putMedium } from './take-media.ts';

export type Item = Readonly<Record<string, unknown>>;

export interface TurnItems {
  readonly input: Item[];
  readonly output: Item[];
}

/** Null if one of its media is gone. */
export async function readTurn(
  { input, output, media }: Pick<KeptTurn, 'input' | 'output' | 'media'>,
  blobs: Blobs,
): Promise<TurnItems | null> {
  const turn = { input: JSON.parse(input) as Item[], output: JSON.parse(output) as Item[] };
  for (const { id, place } of media ?? []) {
    const text = await whenAvailable(() => readMedium(blobs, id));
    if (text === null) return null;
    putMedium(turn, { place, text });
  }
  return turn;
}

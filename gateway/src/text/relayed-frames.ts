/**
 * Frames that were relayed unparsed, kept to count their tokens if the provider sends no usage. The first
 * frames are kept; of the rest only the length is, and the same share of it is assumed to be text. So the
 * memory per stream is limited.
 */
import { JSON_BYTES } from '../json/json-bytes.ts';

export const KEPT_CHARACTERS_MAX = 256 * 1024;

export class RelayedFrames {
  readonly #kept: string[] = [];
  #keptCharacters = 0;
  #restCharacters = 0;

  add(data: string): void {
    if (this.#keptCharacters + data.length > KEPT_CHARACTERS_MAX) this.#restCharacters += data.length;
    else {
      this.#keptCharacters += data.length;
      this.#kept.push(data);
    }
  }

  get empty(): boolean {
    return this.#kept.length === 0 && this.#restCharacters === 0;
  }

  /** Whether one of the frames that were kept is such a frame. */
  some(is: (data: string) => boolean): boolean {
    return this.#kept.some(is);
  }

  produced(textsOf: (data: string) => readonly string[]): { texts: string[]; restCharacters: number } {
    const texts = this.#kept.flatMap(textsOf);
    const textCharacters = texts.reduce((sum, text) => sum + text.length, 0);
    // If not even the first frame could be kept, everything counts as text.
    const share = this.#keptCharacters === 0 ? 1 : textCharacters / this.#keptCharacters;
    return { texts, restCharacters: Math.round(this.#restCharacters * share) };
  }
}

/** The data of a frame on one line; null if it does not begin and end as a JSON object. */
export function objectData(frameData: string): string | null {
  // A JSON string has no raw line feed, so a line feed between two data lines is only whitespace.
  const data = frameData.includes('\n') ? frameData.replaceAll('\n', ' ') : frameData;
  return data.charCodeAt(0) === OPEN_BRACE && data.charCodeAt(data.length - 1) === CLOSE_BRACE ? data : null;
}

const { OPEN_BRACE, CLOSE_BRACE } = JSON_BYTES;

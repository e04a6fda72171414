/** One case of the table of truth, as its file in cases/ has it. README.md explains the fields. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Format } from '../matrix/ask.ts';

export type Wire =
  | 'chat'
  | 'responses'
  | 'messages'
  | 'google'
  | 'bedrock'
  | 'images'
  | 'google-images'
  | 'video';

type Json = Readonly<Record<string, unknown>>;

export interface TruthLine {
  readonly component: string;
  readonly count: number;
  readonly price: string;
  readonly amount: string;
}

export interface TruthCase {
  /** Folder and file, such as `openai-chat/cached`. */
  readonly name: string;
  readonly rules: readonly string[];
  readonly says: string;
  readonly model: string;
  readonly wire: Wire;
  readonly formats: ReadonlyArray<Format | 'images' | 'video'>;
  readonly streamed: readonly boolean[];
  readonly batch: boolean;
  /** When the call starts; without it, the time does not matter. */
  readonly at?: string;
  /** The fields of the provider's answer that matter; the runner adds the rest. */
  readonly answer?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is special about the answer as a stream. */
  readonly stream?: {
    /** The usage in each chunk, where it is not only in the last one. */
    readonly usages?: ReadonlyArray<Json | null>;
    readonly usage_with?: 'finish';
    /** In messages: the usage of `message_start` and of each `message_delta`. */
    readonly start?: Json;
    readonly deltas?: readonly Json[];
  };
  /** Further fields of the request. */
  readonly request?: Json;
  /** The usage counts as missing, so the gateway counts. */
  readonly estimated?: boolean;
  readonly incomplete?: boolean;
  /** The status of a line of a batch that failed. */
  readonly status?: number;
  /** The picture is edited, not created. */
  readonly edit?: boolean;
  /** A text answer that has a picture in it. */
  readonly image?: boolean;
  readonly fails?: boolean;
  /** A decimal, or null: unpriced. */
  readonly cost: string | null;
  readonly lines: readonly TruthLine[];
}

const folder = new URL('cases/', import.meta.url);

export function readCases(): TruthCase[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({
      ...(JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as TruthCase),
      name: file.replace(/\.json$/, ''),
    }));
}

/** Endpoints that keep something from one request to the next, and so answer for themselves. */
import type { RequestHeaders } from '../dialect.ts';
import type { Reply } from '../reply.ts';
import type { Endpoint } from '../script.ts';
import type { VideoShop } from '../videos/video-shop.ts';
import type { BatchCues } from './batch-cues.ts';
import type { Shop } from './shop.ts';

export interface ServedEndpoint extends Omit<Endpoint, 'read'> {
  /** Throws a Refusal for a request the provider would turn down. */
  serve(request: ServedRequest): void | Promise<void>;
}

export interface ServedRequest {
  readonly shop: Shop;
  readonly videos: VideoShop;
  readonly reply: Reply;
  readonly body: unknown;
  /** The body as text, where it is no form. */
  readonly text: string;
  /** The body as it came, where it is neither text nor a form. */
  readonly bytes: Buffer;
  readonly headers: RequestHeaders;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
}

/** Pages are small, so that clients have to follow them. */
const PAGE_MAX = 5;

/** The page that follows an item, and whether there are more behind it. */
export function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  { after, limit }: { after: string | null; limit: string | null },
): { data: readonly Item[]; more: boolean } {
  const from = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
  const size = Math.min(Number(limit ?? PAGE_MAX), PAGE_MAX);
  return { data: items.slice(from, from + size), more: from + size < items.length };
}

/** True when the answer to a batch that was made is lost on the way, as a cue wants it. */
export function loseAnswer({ names }: BatchCues, reply: Reply): boolean {
  if (!names.has('create-reset')) return false;
  reply.reset();
  return true;
}

/** Results of any length, or the half of them that a cue wants. */
export async function sendResults(
  reply: Reply,
  lines: readonly string[],
  { cues, type, firstTime }: { cues: BatchCues; type: string; firstTime: boolean },
): Promise<void> {
  const text = lines.map((line) => `${line}\n`).join('');
  if (!cues.names.has('cut-results') || !firstTime) {
    reply.send(200, { 'content-type': type }, text);
    return;
  }
  reply.open({ 'content-type': type });
  await reply.writeOut(text.slice(0, text.length / 2));
  reply.cut();
}

/** A page as OpenAI shows one; `query` says where it begins and how long it is. */
export function listPage<Item extends { readonly id: string }>(
  items: readonly Item[],
  query: URLSearchParams,
  show: (item: Item) => object,
): string {
  const { data, more } = pageOf(items, { after: query.get('after'), limit: query.get('limit') });
  return JSON.stringify({
    object: 'list',
    data: data.map(show),
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: more,
  });
}

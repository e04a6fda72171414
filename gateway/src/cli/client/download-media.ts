/** Downloads a file by its link, and resumes if the connection is interrupted. */
import { createHash } from 'node:crypto';
import { SettingsError } from '../../app/settings.ts';
import type { MediaLink } from '../../contract/media.ts';
import type { GatewayClient } from './gateway-client.ts';
import { ByteProgress } from './progress.ts';

export interface Downloaded {
  readonly bytes: number;
  readonly sha256: string;
  /** Whether the store sent a checksum; if not, only the length was compared. */
  readonly checked: boolean;
}

/** Attempts in a row that brought no bytes. */
const FAILURES_MAX = 5;
const PAUSE_MS = 500;

export async function linkTo(client: GatewayClient, id: string): Promise<MediaLink> {
  return await client.json<MediaLink>(`/v1/media/${encodeURIComponent(id)}/link`, { method: 'POST' });
}

export async function downloadMedia(
  client: GatewayClient,
  first: MediaLink,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<Downloaded> {
  const { media_id: id, bytes: total } = first;
  const download = new Download(total, write);
  let link = first;
  try {
    for (let failures = 0; ; ) {
      const before = download.bytes;
      try {
        await download.run(link.url);
        return download.end(id);
      } catch (error) {
        if (error instanceof SettingsError) throw error;
        failures = download.bytes > before ? 0 : failures + 1;
        if (failures >= FAILURES_MAX) throw interrupted(id, download.bytes, total);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * failures));
        // The old link may have expired.
        link = await linkTo(client, id).catch(() => link);
      }
    }
  } finally {
    download.progress.end();
  }
}

class Download {
  readonly #total: number;
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #hash = createHash('sha256');
  #etag: string | null = null;
  readonly progress: ByteProgress;
  bytes = 0;

  constructor(total: number, write: (bytes: Uint8Array) => Promise<void>) {
    this.#total = total;
    this.#write = write;
    this.progress = new ByteProgress('downloading', total);
  }

  /** Resolves when all bytes have arrived; rejects when the connection was interrupted. */
  async run(url: string): Promise<void> {
    if (this.bytes === this.#total) return;
    const from = this.bytes;
    const headers = {
      ...(from > 0 && { range: `bytes=${from}-` }),
      ...(from > 0 && this.#etag !== null && { 'if-range': this.#etag }),
    };
    const reply = await fetch(url, { headers });
    if (!reply.ok || reply.body === null) throw new Error(`the store answered ${reply.status}`);
    const etag = reply.headers.get('etag');
    if (this.#etag !== null && etag !== this.#etag)
      throw new SettingsError('The file changed during the download; download it again.');
    this.#etag = etag;
    // A store without range support starts again: the bytes that are already here are skipped.
    let known = reply.status === 206 ? 0 : from;
    for await (const piece of reply.body as unknown as AsyncIterable<Uint8Array>) {
      const fresh = piece.subarray(Math.min(known, piece.length));
      known -= piece.length - fresh.length;
      if (fresh.length > 0) await this.#take(fresh);
    }
    if (this.bytes < this.#total) throw new Error('the download was interrupted');
  }

  end(id: string): Downloaded {
    const sha256 = this.#hash.digest('hex');
    const expected = /^"([0-9a-f]{64})"$/.exec(this.#etag ?? '')?.[1] ?? null;
    if (this.bytes === this.#total && (expected === null || expected === sha256))
      return { bytes: this.bytes, sha256, checked: expected !== null };
    throw new SettingsError(
      `The download of ${id} is damaged: its length or checksum differs. Download it again.`,
    );
  }

  async #take(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.bytes += bytes.length;
    await this.#write(bytes);
    this.progress.add(bytes.length);
  }
}

function interrupted(id: string, bytes: number, total: number): SettingsError {
  return new SettingsError(
    `The download of ${id} was interrupted after ${bytes} of ${total} bytes and could not be resumed.`,
  );
}

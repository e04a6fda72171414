/** Limits how many downloads of files may be open: of a key, a person or a space, and of links, which need no key. */
import { OpenCounts, type OpenShare } from './open-limits.ts';

export interface DownloadLimits {
  readonly perKey: number;
  readonly perSpace: number;
  readonly perLink: number;
  readonly perAddress: number;
}

export class OpenDownloads {
  readonly #limits: DownloadLimits;
  readonly #counts = new OpenCounts('downloads');

  constructor(limits: DownloadLimits) {
    this.#limits = limits;
  }

  /** Each method throws `rate_limit_exceeded`, or returns a function that the caller calls once, at the end. */
  ofKey({ keyId, spaceId, spaceName }: { keyId: string; spaceId: string; spaceName: string }): () => void {
    const { perKey, perSpace } = this.#limits;
    return this.#counts.enter([
      { of: 'key', id: keyId, max: perKey },
      { of: 'space', id: spaceId, max: perSpace, name: spaceName },
    ]);
  }

  /** Of a person with a session. `spaceId`: the space of the file; null if it belongs to none. */
  ofPerson(personId: string, spaceId: string | null): () => void {
    const { perKey, perSpace } = this.#limits;
    const shares: OpenShare[] = [{ of: 'person', id: personId, max: perKey }];
    if (spaceId !== null) shares.push({ of: 'space', id: spaceId, max: perSpace });
    return this.#counts.enter(shares);
  }

  /** All links to a file count together. They do not count as downloads of keys: anybody may have a link. */
  ofLink({ fileId, spaceId, address }: { fileId: string; spaceId: string; address: string }): () => void {
    const { perLink, perSpace, perAddress } = this.#limits;
    return this.#counts.enter([
      { of: 'link', id: fileId, max: perLink },
      { of: 'address', id: `address ${address}`, max: perAddress },
      { of: 'space', id: `links ${spaceId}`, max: perSpace },
    ]);
  }
}

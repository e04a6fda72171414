/**
 * Counts tokens where a provider did not. The tables take half a second and tens of megabytes to
 * load, so they live in a thread that starts with the first need.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface CountRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface CountReply {
  readonly id: number;
  readonly tokens: number;
}

/** What a token is about, for when the thread cannot be had: most languages are near it. */
const CHARACTERS_PER_TOKEN = 4;

export class TokenCounter {
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, { resolve: (tokens: number) => void; texts: readonly string[] }>();
  #nextId = 0;

  /** The tokens of all texts together. */
  async count(texts: readonly string[]): Promise<number> {
    if (texts.every((text) => text === '')) return 0;
    const id = ++this.#nextId;
    return await new Promise((resolve) => {
      this.#waiting.set(id, { resolve, texts });
      this.#started().postMessage({ id, texts } satisfies CountRequest);
    });
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
    this.#answerRoughly();
  }

  #started(): Worker {
    if (this.#worker === null) {
      const file = new URL(`./token-worker${extname(import.meta.url)}`, import.meta.url);
      const worker = new Worker(file);
      worker.unref();
      worker.on('message', ({ id, tokens }: CountReply) => {
        this.#waiting.get(id)?.resolve(tokens);
        this.#waiting.delete(id);
      });
      worker.on('error', () => {
        if (this.#worker === worker) this.#worker = null;
        this.#answerRoughly();
      });
      this.#worker = worker;
    }
    return this.#worker;
  }

  /** Nobody waits for ever: what the thread left open is answered from the length. */
  #answerRoughly(): void {
    for (const { resolve, texts } of this.#waiting.values()) resolve(roughTokens(texts.join('').length));
    this.#waiting.clear();
  }
}

export function roughTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

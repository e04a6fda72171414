/** Tells the purses of this process what other processes need, and what they have given back. */
import type { Database } from '../../database/database.ts';
import type { Running } from '../../kernel/running.ts';
import type { PurseBook } from './purse-book.ts';
import { PURSE_CHANNEL } from './purses.store.ts';

export interface PurseNoticesOptions {
  readonly db: Database;
  readonly book: PurseBook;
  /** The id of this process. */
  readonly process: () => string;
}

export class PurseNotices implements Running {
  readonly #options: PurseNoticesOptions;
  #stopListening: (() => Promise<void>) | null = null;

  constructor(options: PurseNoticesOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { db, book, process } = this.#options;
    this.#stopListening = await db.listen(PURSE_CHANNEL, (payload) => {
      const [word, purse, from] = payload.split(' ') as [string, string, string?];
      // A process needs itself what it calls back.
      if (from === process()) return;
      // It reports itself what goes wrong.
      if (word === 'recall') book.recalled(purse).catch(() => undefined);
      else book.recalls.givenBack(purse);
    });
  }

  async stop(): Promise<void> {
    await this.#stopListening?.();
  }
}

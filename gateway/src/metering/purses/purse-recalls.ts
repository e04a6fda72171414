/** Calls back slices that other processes do not use, and waits a moment for them. */
import type { Clock } from '../../kernel/time.ts';

/** How long others have to give back what they do not use. */
export const RECALL_MS = 150;
/** What was called back a moment ago in vain is not called back again. */
const AGAIN_MS = 1_000;

/** For one call. */
export interface Recall {
  /** The others had their time, and the call knows of everything that they gave back. */
  readonly isOver: boolean;
  /** Resolves when something was given back that the call does not know of, or the others had their time. */
  next(): Promise<void>;
}

/** Calls share it. */
interface SharedRecall {
  isOver: boolean;
  /** How often something was given back. */
  returns: number;
  change: PromiseWithResolvers<void>;
}

export class PurseRecalls {
  readonly #options: { readonly clock: Clock; readonly send: (purse: string) => Promise<void> };
  readonly #recalls = new Map<string, SharedRecall>();
  /** How often this process called back slices, and gave some back because another process asked. */
  sent = 0;
  answered = 0;

  constructor(options: { clock: Clock; send: (purse: string) => Promise<void> }) {
    this.#options = options;
  }

  /** Calls back a purse, if that is not under way. Null: the others were asked a moment ago, and gave nothing. */
  async begin(purse: string): Promise<Recall | null> {
    const known = this.#recalls.get(purse);
    if (known !== undefined) return known.isOver ? null : joined(known);
    const recall: SharedRecall = { isOver: false, returns: 0, change: Promise.withResolvers() };
    this.#recalls.set(purse, recall);
    this.#options.clock.after(RECALL_MS, () => this.#end(purse, recall));
    this.sent++;
    await this.#options.send(purse);
    return joined(recall);
  }

  /** Another process has given something back; more may follow, from this one or others. */
  givenBack(purse: string): void {
    const recall = this.#recalls.get(purse);
    if (recall === undefined || recall.isOver) return;
    recall.returns++;
    recall.change.resolve();
    recall.change = Promise.withResolvers();
  }

  #end(purse: string, recall: SharedRecall): void {
    recall.isOver = true;
    recall.change.resolve();
    if (recall.returns > 0) this.#recalls.delete(purse);
    else this.#options.clock.after(AGAIN_MS - RECALL_MS, () => this.#recalls.delete(purse));
  }
}

function joined(recall: SharedRecall): Recall {
  let heard = 0;
  return {
    get isOver() {
      return recall.isOver && recall.returns === heard;
    },
    async next() {
      if (recall.returns === heard && !recall.isOver) await recall.change.promise;
      heard = recall.returns;
    },
  };
}

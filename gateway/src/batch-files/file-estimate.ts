/**
 * What the lines of a batch file ask for, in a few numbers that are stored with the file, so that a submission can be
 * estimated with the prices of its time. Lines of similar length are one group: prices may depend on the length. Pure.
 */

export interface LineSize {
  readonly inputTokens: number;
  readonly answers: number;
  /** The cap of each answer; null: it has none. */
  readonly outputTokensMax: number | null;
}

export interface LineGroup {
  rows: number;
  inputTokens: number;
  /** Of the longest line. */
  inputTokensMax: number;
  /** The sum of the output caps. */
  outputTokens: number;
  /** Answers without a cap. */
  uncappedAnswers: number;
}

/** Null: the file was uploaded before there were estimates. */
export type FileEstimate = readonly Readonly<LineGroup>[] | null;

/** A cap may be any number that JSON has; a sum must stay a whole number. */
const TOKENS_MAX = 1_000_000_000;

export class FileSizes {
  /** By the number of bits of their input tokens. */
  readonly #groups = new Map<number, LineGroup>();

  add({ inputTokens, answers, outputTokensMax }: LineSize): void {
    const bits = Math.ceil(Math.log2(inputTokens + 1));
    let group = this.#groups.get(bits);
    if (group === undefined) {
      group = { rows: 0, inputTokens: 0, inputTokensMax: 0, outputTokens: 0, uncappedAnswers: 0 };
      this.#groups.set(bits, group);
    }
    const count = Math.max(0, Math.min(Math.trunc(answers), TOKENS_MAX));
    group.rows++;
    group.inputTokens += inputTokens;
    group.inputTokensMax = Math.max(group.inputTokensMax, inputTokens);
    if (outputTokensMax === null) group.uncappedAnswers += count;
    else group.outputTokens += Math.max(0, Math.min(Math.ceil(outputTokensMax) * count, TOKENS_MAX));
  }

  groups(): LineGroup[] {
    return [...this.#groups.values()];
  }
}

/** Estimates the cost of a batch: prompts are counted; of answers only the output caps are known. */

import type { LineFacts } from '../../batch-files/check-batch-line.ts';
import { lineParts } from '../../batches/line-parts.ts';
import { chargedPrice } from '../../catalog/charged-price.ts';
import type { Model } from '../../catalog/model.ts';
import type { Instant } from '../../kernel/time.ts';
import { subtractUnits, sumUnits, type Units, ZERO } from '../../kernel/units.ts';
import type { PricedCaller } from '../../pricing/markup.ts';
import { batchPrice, type ModelPrice } from '../../pricing/model-price.ts';
import { type Charge, priceUsage } from '../../pricing/price.ts';
import { NO_TOKENS } from '../../pricing/usage.ts';
import type { TokenCounter } from '../../tokens/token-counter.ts';

export interface BatchEstimate {
  readonly rows: number;
  readonly inputTokens: number;
  /** The sum of the output caps; rows without one are not included. */
  readonly outputTokensMax: number;
  readonly uncappedRows: number;
  /** Null when the model has no batch price. */
  readonly inputUnits: Units | null;
  readonly outputUnitsMax: Units | null;
  /** What each row costs as a request; zero for most models. */
  readonly requestUnits: Units;
  /** The sum of them; null if one is unknown or a row has no cap. */
  readonly unitsMax: Units | null;
}

/** A row is priced by itself: the price may depend on its length. */
interface Row {
  inputTokens: number;
  /** The output cap; null: it has none. */
  readonly outputTokens: number | null;
}

/** Text is counted when this much has been collected. */
const HELD_CHARACTERS_MAX = 1_000_000;

export class BatchEstimator {
  readonly #tokens: TokenCounter;
  readonly #rows: Row[] = [];
  #held: Array<{ readonly row: Row; readonly texts: readonly string[] }> = [];
  #heldCharacters = 0;

  constructor(tokens: TokenCounter) {
    this.#tokens = tokens;
  }

  add(facts: LineFacts): void {
    const { texts, inputTokens, answers, outputTokensMax: cap } = lineParts(facts);
    const row: Row = { inputTokens, outputTokens: cap === null ? null : cap * answers };
    this.#rows.push(row);
    this.#held.push({ row, texts });
    for (const text of texts) this.#heldCharacters += text.length;
  }

  /** Call it between chunks, so that the file is not held in memory as a whole. */
  async countHeld(all = false): Promise<void> {
    if (!all && this.#heldCharacters < HELD_CHARACTERS_MAX) return;
    const held = this.#held;
    this.#held = [];
    this.#heldCharacters = 0;
    const counts = await Promise.all(
      held.map(({ texts }) => this.#tokens.countOrEstimate(texts, { lane: '' })),
    );
    for (const [i, { row }] of held.entries()) row.inputTokens += counts[i] ?? 0;
  }

  /** With the prices for the caller at `at`. */
  async total(model: Model, caller: PricedCaller, at: Instant): Promise<BatchEstimate> {
    await this.countHeld(true);
    const price = batchPrice(chargedPrice(model, caller, at));
    const rows = this.#rows;
    const sums = rows.map((row) => priceRow(row, price));
    const inputUnits = sumOrNull(sums.map(({ input }) => input));
    const outputUnitsMax = sumOrNull(sums.map(({ output }) => output));
    const requestUnits = sumUnits(sums.map(({ request }) => request));
    const uncappedRows = rows.filter(({ outputTokens }) => outputTokens === null).length;
    const known = inputUnits !== null && outputUnitsMax !== null && uncappedRows === 0;
    return {
      rows: rows.length,
      inputTokens: rows.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      outputTokensMax: rows.reduce((sum, { outputTokens }) => sum + (outputTokens ?? 0), 0),
      uncappedRows,
      inputUnits,
      outputUnitsMax,
      requestUnits,
      unitsMax: known ? sumUnits([inputUnits, outputUnitsMax, requestUnits]) : null,
    };
  }
}

function priceRow(
  { inputTokens, outputTokens }: Row,
  price: ModelPrice | null,
): { input: Units | null; output: Units | null; request: Units } {
  const input = priceUsage({ ...NO_TOKENS, inputTokens }, price);
  const output = priceUsage(
    { ...NO_TOKENS, outputTokens: outputTokens ?? 0, details: { contextTokens: inputTokens } },
    price,
  );
  return { input: withoutRequest(input), output: withoutRequest(output), request: requestOf(input) };
}

function withoutRequest(charge: Charge | null): Units | null {
  return charge && subtractUnits(charge.total, requestOf(charge));
}

function requestOf(charge: Charge | null): Units {
  return charge?.lines.find(({ component }) => component === 'request')?.amount ?? ZERO;
}

function sumOrNull(amounts: ReadonlyArray<Units | null>): Units | null {
  return amounts.every((amount) => amount !== null) ? sumUnits(amounts) : null;
}

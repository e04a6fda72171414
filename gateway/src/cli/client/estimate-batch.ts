/** Estimates the cost of a batch: prompts are counted; of answers only the output caps are known. */

import type { LineFacts } from '../../batch-files/check-batch-line.ts';
import { TOKENS_PER_IMAGE } from '../../calls/settle-call.ts';
import type { Model } from '../../catalog/model.ts';
import { ChatRequest } from '../../contract/chat.ts';
import { Shape } from '../../contract/check-shape.ts';
import { ResponsesRequest } from '../../contract/responses.ts';
import type { Instant } from '../../kernel/time.ts';
import { addUnits, type Units } from '../../kernel/units.ts';
import { batchPrice, priceAt } from '../../pricing/model-price.ts';
import { priceUsage } from '../../pricing/price.ts';
import { NO_TOKENS } from '../../pricing/usage.ts';
import { readChatFeatures, readChatPromptTexts } from '../../text/formats/chat/read-features.ts';
import { readResponsesFeatures, readResponsesPrompt } from '../../text/formats/responses/read-features.ts';
import type { TokenCounter } from '../../tokens/token-counter.ts';

export interface BatchEstimate {
  readonly inputTokens: number;
  /** The sum of the output caps; rows without one are not included. */
  readonly outputTokensMax: number;
  readonly uncappedRows: number;
  /** Null when the model has no batch price. */
  readonly inputUnits: Units | null;
  readonly outputUnitsMax: Units | null;
  /** The sum of both; null if one is unknown or a row has no cap. */
  readonly unitsMax: Units | null;
}

/** Text is counted when this much has been collected. */
const HELD_CHARACTERS_MAX = 1_000_000;

const chatShape = new Shape(ChatRequest);
const responsesShape = new Shape(ResponsesRequest);

export class BatchEstimator {
  readonly #tokens: TokenCounter;
  #held: string[] = [];
  #heldCharacters = 0;
  #inputTokens = 0;
  #outputTokensMax = 0;
  #uncappedRows = 0;

  constructor(tokens: TokenCounter) {
    this.#tokens = tokens;
  }

  add({ endpoint, body }: LineFacts): void {
    if (endpoint === 'embeddings') this.#addInput(body.input);
    else if (endpoint === 'chat' && chatShape.matches(body)) {
      this.#addPrompt(readChatPromptTexts(body), readChatFeatures(body));
    } else if (endpoint === 'responses' && responsesShape.matches(body)) {
      this.#addPrompt(readResponsesPrompt(body), readResponsesFeatures(body));
    } else {
      // It fails when it runs; its text is the best estimate there is.
      this.#hold([JSON.stringify(body)]);
      this.#uncappedRows++;
    }
  }

  /** Call it between chunks, so that the file is not held in memory as a whole. */
  async countHeld(all = false): Promise<void> {
    if (!all && this.#heldCharacters < HELD_CHARACTERS_MAX) return;
    const texts = this.#held;
    this.#held = [];
    this.#heldCharacters = 0;
    this.#inputTokens += await this.#tokens.count(texts);
  }

  /** With the prices at `at`. */
  async total(model: Model, at: Instant): Promise<BatchEstimate> {
    await this.countHeld(true);
    const price = batchPrice(priceAt(model.prices, at));
    const inputTokens = this.#inputTokens;
    const outputTokens = this.#outputTokensMax;
    const inputUnits = priceUsage({ ...NO_TOKENS, inputTokens }, price)?.total ?? null;
    const outputUnitsMax = priceUsage({ ...NO_TOKENS, outputTokens }, price)?.total ?? null;
    const known = inputUnits !== null && outputUnitsMax !== null && this.#uncappedRows === 0;
    return {
      inputTokens,
      outputTokensMax: outputTokens,
      uncappedRows: this.#uncappedRows,
      inputUnits,
      outputUnitsMax,
      unitsMax: known ? addUnits(inputUnits, outputUnitsMax) : null,
    };
  }

  #addPrompt(
    texts: string[],
    features: { images: number; answers: number; outputTokensMax: number | null },
  ): void {
    this.#hold(texts);
    this.#inputTokens += features.images * TOKENS_PER_IMAGE;
    if (features.outputTokensMax === null) this.#uncappedRows++;
    else this.#outputTokensMax += features.outputTokensMax * features.answers;
  }

  #addInput(input: unknown): void {
    if (typeof input === 'string') this.#hold([input]);
    else if (typeof input === 'number') this.#inputTokens++;
    else for (const item of input as unknown[]) this.#addInput(item);
  }

  #hold(texts: readonly string[]): void {
    for (const text of texts) {
      this.#held.push(text);
      this.#heldCharacters += text.length;
    }
  }
}

/**
 * Estimates what a batch will cost without counting tokens: four characters of Latin text, or one of any other, are taken for
 * a token. Output caps are summed up exactly. `tollgate batches check` counts tokens.
 */
import type { BatchLineModel, LineValueFacts } from '../contract/batch-lines/check-line-value.ts';
import { ALL_OUTPUT_CAPS } from '../contract/batch-lines/check-line-value.ts';
import type { ModelPricing } from '../contract/models.ts';
import { parseUnits, printUnits, sumUnits, type Units, ZERO } from '../kernel/units.ts';

export interface RoughEstimate {
  /** About as many. */
  readonly inputTokens: number;
  /** The sum of the output caps; rows without one are not included. */
  readonly outputTokensMax: number;
  readonly uncappedRows: number;
  /** Decimals; null when the model has no batch price. */
  readonly inputUnits: string | null;
  readonly outputUnitsMax: string | null;
  /** The sum of both, and the price of the requests themselves; null if one is unknown or a row has no cap. */
  readonly unitsMax: string | null;
}

const CHARACTERS_PER_TOKEN = 4;
const PRICE_TOKENS = 1_000_000n;
const LATIN_MAX = 0x024f;

export class RoughBatchEstimator {
  #inputTokens = 0;
  #outputTokensMax = 0;
  #uncappedRows = 0;
  #rows = 0;

  add({ endpoint, body }: LineValueFacts<BatchLineModel>): void {
    this.#rows++;
    const { messages, input, instructions, tools } = body;
    this.#inputTokens += Math.ceil(weightOf([messages, input, instructions, tools]) / CHARACTERS_PER_TOKEN);
    if (endpoint === 'embeddings') return;
    const cap = ALL_OUTPUT_CAPS.map((name) => body[name]).find((value) => typeof value === 'number');
    if (typeof cap === 'number') this.#outputTokensMax += cap * (typeof body.n === 'number' ? body.n : 1);
    else this.#uncappedRows++;
  }

  total(pricing: ModelPricing | null): RoughEstimate {
    const inputUnits = unitsOf(this.#inputTokens, pricing?.batch_input);
    const outputUnits = unitsOf(this.#outputTokensMax, pricing?.batch_output);
    const noOutput = this.#outputTokensMax === 0 && this.#uncappedRows === 0;
    const requests = (parseUnits(requestPrice(pricing)) * BigInt(this.#rows)) as Units;
    const known = inputUnits !== null && (outputUnits !== null || noOutput) && this.#uncappedRows === 0;
    return {
      inputTokens: this.#inputTokens,
      outputTokensMax: this.#outputTokensMax,
      uncappedRows: this.#uncappedRows,
      inputUnits: inputUnits === null ? null : printUnits(inputUnits),
      outputUnitsMax: outputUnits === null ? null : printUnits(outputUnits),
      unitsMax: known ? printUnits(sumUnits([inputUnits, outputUnits ?? ZERO, requests])) : null,
    };
  }
}

/** The price of a request in a batch, whatever it contains; most models have none. */
function requestPrice(pricing: ModelPricing | null): string {
  const rule = pricing?.rules?.find(
    ({ batch, context_above, geo }) => batch === true && context_above === undefined && geo === undefined,
  );
  return rule?.request ?? pricing?.request ?? '0';
}

function unitsOf(tokens: number, price: string | undefined): Units | null {
  return price === undefined ? null : (((parseUnits(price) * BigInt(tokens)) / PRICE_TOKENS) as Units);
}

/** Characters of all texts in a value; a character that is not Latin counts as a whole token, and so does a token id. */
function weightOf(value: unknown): number {
  if (typeof value === 'number') return CHARACTERS_PER_TOKEN;
  if (typeof value === 'string') return value.startsWith('data:') ? 0 : textWeight(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + weightOf(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + weightOf(item), 0);
}

function textWeight(text: string): number {
  let weight = 0;
  for (const character of text)
    weight += (character.codePointAt(0) ?? 0) > LATIN_MAX ? CHARACTERS_PER_TOKEN : 1;
  return weight;
}

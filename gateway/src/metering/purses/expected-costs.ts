/**
 * What a call will probably cost: as much as the most expensive of the latest calls of the same key and model. Older ones count
 * less and less.
 */
import { multiplyUnits, type Units } from '../../kernel/units.ts';

const KEPT_MAX = 20_000;
/** Many calls cost more than the average one. */
const ABOVE_MEAN = { count: 2, per: 1 };
/** After so many calls that cost less, half of the most expensive one counts. */
const FADING = { count: 95, per: 100 };

export class ExpectedCosts {
  /** The one that was used longest ago is first. */
  readonly #costs = new Map<string, Units>();

  /** Null: none is known. */
  of(keyId: string, model: string): Units | null {
    return this.#costs.get(`${keyId} ${model}`) ?? null;
  }

  /** `mean`: what such a call cost on average; null: nobody knows. Returns what the next one is expected to cost. */
  start(keyId: string, model: string, mean: Units | null): Units | null {
    const known = this.of(keyId, model);
    if (known !== null || mean === null) return known;
    const expected = multiplyUnits(mean, ABOVE_MEAN);
    this.note(keyId, model, expected);
    return expected;
  }

  note(keyId: string, model: string, cost: Units): void {
    const name = `${keyId} ${model}`;
    const before = this.#costs.get(name);
    const faded = before === undefined ? cost : multiplyUnits(before, FADING);
    this.#costs.delete(name);
    this.#costs.set(name, faded > cost ? faded : cost);
    if (this.#costs.size <= KEPT_MAX) return;
    const oldest = this.#costs.keys().next().value;
    if (oldest !== undefined) this.#costs.delete(oldest);
  }
}

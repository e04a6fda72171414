/**
 * The values that a space has used in a month, within bounds: what is beyond them counts as other. It remembers that a value
 * was used, and not the value, so that long ones take no more memory. Pure.
 */
import {
  type Attribution,
  type AttributionValues,
  attributionOf,
  END_USER,
  isTagDimension,
  OTHER_TAGS,
  SESSION,
} from './attribution.ts';

/** How many a space may use in a month. */
export interface AttributionBounds {
  readonly tagKeysMax: number;
  /** Of one key. */
  readonly tagValuesMax: number;
  /** The same for sessions. */
  readonly endUsersMax: number;
  /** Different combinations of values. */
  readonly setsMax: number;
}

export class SpaceValues {
  readonly #bounds: AttributionBounds;
  /** By dimension. */
  readonly #values = new Map<string, Set<number>>();
  /** The ids of attributions. */
  readonly #sets = new Set<string>();
  #size = 0;
  #isRead = false;
  #unread = 0;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(bounds: AttributionBounds) {
    this.#bounds = bounds;
  }

  /** How many values and attributions it remembers. */
  get size(): number {
    return this.#size + this.#sets.size;
  }

  /** Whether it should be read what other processes use. `after`: so many new attributions. */
  isDue(nowMs: number, after: number): boolean {
    return (!this.#isRead || this.#unread >= after) && nowMs >= this.#notBeforeMs;
  }

  /** It is being read. */
  begin(notBeforeMs: number): void {
    this.#isRead = true;
    this.#unread = 0;
    this.#notBeforeMs = notBeforeMs;
  }

  /** Adds what another process, or an earlier run, has used. */
  add(id: string, values: AttributionValues): void {
    this.#sets.add(id);
    for (const [dimension, value] of Object.entries(values)) if (value !== null) this.#use(dimension, value);
  }

  /** The attribution as it is counted. */
  keep(attribution: Attribution): Attribution {
    if (this.#sets.has(attribution.id)) return attribution;
    let kept = this.#withKnownValues(attribution);
    const { setsMax } = this.#bounds;
    // What most calls differ in goes first. Each step has room of its own, so that the one before cannot use it up.
    if (this.#isFull(kept, setsMax)) kept = without(kept, (dimension) => dimension === SESSION);
    if (this.#isFull(kept, setsMax * 1.25)) kept = without(kept, (dimension) => dimension === END_USER);
    if (this.#isFull(kept, setsMax * 1.5)) kept = without(kept, isTagDimension);
    if (!this.#sets.has(kept.id)) this.#unread++;
    this.#sets.add(kept.id);
    return kept;
  }

  #isFull({ id }: Attribution, max: number): boolean {
    return this.#sets.size >= max && !this.#sets.has(id);
  }

  #withKnownValues(attribution: Attribution): Attribution {
    let changed: Record<string, string | null> | null = null;
    for (const [dimension, value] of Object.entries(attribution.values)) {
      if (value === null || this.#use(dimension, value)) continue;
      changed ??= { ...attribution.values };
      if (this.#values.has(dimension)) {
        changed[dimension] = null;
      } else {
        // A key too many: nothing is kept of it.
        delete changed[dimension];
        changed[OTHER_TAGS] = null;
      }
    }
    return changed === null ? attribution : attributionOf(changed);
  }

  /** False: the bound is reached. */
  #use(dimension: string, value: string): boolean {
    const { tagKeysMax, tagValuesMax, endUsersMax } = this.#bounds;
    const isTag = isTagDimension(dimension);
    let values = this.#values.get(dimension);
    if (values === undefined) {
      // Two of the dimensions are none of tags.
      if (
        isTag &&
        this.#values.size >=
          tagKeysMax + Number(this.#values.has(END_USER)) + Number(this.#values.has(SESSION))
      )
        return false;
      values = new Set();
      this.#values.set(dimension, values);
    }
    const mark = markOf(value);
    if (values.has(mark)) return true;
    if (values.size >= (isTag ? tagValuesMax : endUsersMax)) return false;
    values.add(mark);
    this.#size++;
    return true;
  }
}

/** Nothing is kept of these dimensions. All tags become one, because a combination of keys is a combination too. */
function without(attribution: Attribution, isDropped: (dimension: string) => boolean): Attribution {
  const kept: Record<string, string | null> = {};
  let isChanged = false;
  for (const [dimension, value] of Object.entries(attribution.values)) {
    if (!isDropped(dimension)) kept[dimension] = value;
    else {
      kept[isTagDimension(dimension) ? OTHER_TAGS : dimension] = null;
      isChanged = true;
    }
  }
  return isChanged ? attributionOf(kept) : attribution;
}

/** 53 bits of a value. Two values that share them count as one, which makes a bound looser and no figure wrong. */
function markOf(value: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    a = Math.imul(a ^ unit, 2_654_435_761);
    b = Math.imul(b ^ unit, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return (2_097_151 & b) * 4_294_967_296 + (a >>> 0);
}

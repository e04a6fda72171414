/**
 * Attributes calls: joins the tags of all sources, and keeps the values of a space and month within bounds. It asks nobody,
 * because it runs before each call. What other processes have seen is read now and then, so the bounds are a little looser
 * with several processes.
 */
import type { Principal } from '../../access/principal.ts';
import { NO_TAGS, readTags, TAGS_MAX, type Tags } from '../../contract/tags.ts';
import type { Queryable } from '../../database/database.ts';
import type { BackgroundTasks } from '../../kernel/background-tasks.ts';
import { type Clock, type Month, monthOf } from '../../kernel/time.ts';
import {
  type Attribution,
  type AttributionValues,
  attributionOf,
  canonicalText,
  END_USER,
  SESSION,
  tagDimension,
} from './attribution.ts';
import { readMonthSets } from './attributions.store.ts';
import { type AttributionBounds, SpaceValues } from './space-values.ts';

/** Where the values of a call come from. The first source that has a tag decides. */
export interface AttributionSources {
  /** Of the header. */
  readonly tags?: Tags | null;
  /** Those of `metadata`. */
  readonly metadata?: Tags;
  /** Those that a batch was submitted with, after its lines. */
  readonly defaults?: Tags | null;
  /** Null: one that cannot be kept. */
  readonly endUser?: string | null | undefined;
  readonly session?: string | null | undefined;
}

export interface AttributionsOptions {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly bounds: AttributionBounds;
}

/** What spaces have in memory together: the one that was used longest ago is dropped. */
const VALUES_MAX = 250_000;
/** Attributions of many calls, by space and text: so many characters of their names. */
const RECENT_CHARACTERS_MAX = 4_000_000;
/** A space is read again after so many new attributions, and not more often than this. */
const READ_AFTER = 250;
const READ_AGAIN_MS = 5_000;
const PAGE_ROWS = 1_000;

export class Attributions {
  readonly #options: AttributionsOptions;
  /** The space that was used last comes last. */
  readonly #spaces = new Map<string, SpaceValues>();
  #recent = new Map<string, Attribution>();
  #recentCharacters = 0;
  #month: Month = '';
  #values = 0;

  constructor(options: AttributionsOptions) {
    this.#options = options;
  }

  /** How many values are in memory. */
  get size(): number {
    return this.#values;
  }

  /** What is kept of the values. */
  bounded(spaceId: string, values: AttributionValues): Attribution {
    const { clock } = this.#options;
    const month = monthOf(clock.now());
    if (month !== this.#month) this.#begin(month);
    const text = canonicalText(values);
    const name = `${spaceId} ${text}`;
    const recent = this.#recent.get(name);
    if (recent !== undefined) return recent;
    const space = this.#spaceOf(spaceId);
    const before = space.size;
    const attribution = space.keep(attributionOf(values, text));
    this.#values += space.size - before;
    // Dropped all at once: the next calls find what they need in the space.
    this.#recentCharacters += name.length;
    if (this.#recentCharacters > RECENT_CHARACTERS_MAX) this.#forgetRecent();
    this.#recent.set(name, attribution);
    if (space.isDue(clock.elapsedMs(), READ_AFTER)) this.#readLater(spaceId, space, month);
    this.#dropOldest(spaceId);
    return attribution;
  }

  #begin(month: Month): void {
    this.#month = month;
    this.#spaces.clear();
    this.#forgetRecent();
    this.#values = 0;
  }

  #forgetRecent(): void {
    this.#recent = new Map();
    this.#recentCharacters = 0;
  }

  #spaceOf(spaceId: string): SpaceValues {
    const known = this.#spaces.get(spaceId);
    if (known !== undefined) this.#spaces.delete(spaceId);
    const space = known ?? new SpaceValues(this.#options.bounds);
    this.#spaces.set(spaceId, space);
    return space;
  }

  #dropOldest(except: string): void {
    for (const [spaceId, space] of this.#spaces) {
      if (this.#values <= VALUES_MAX || spaceId === except) return;
      this.#spaces.delete(spaceId);
      this.#values -= space.size;
    }
  }

  /** Calls do not wait for it. A database that does not answer is asked again later. */
  #readLater(spaceId: string, space: SpaceValues, month: Month): void {
    const { background, clock } = this.#options;
    space.begin(clock.elapsedMs() + READ_AGAIN_MS);
    background.run('read attributed values', () => this.#read(spaceId, space, month));
  }

  async #read(spaceId: string, space: SpaceValues, month: Month): Promise<void> {
    for (let after = ''; ; ) {
      const sets = await readMonthSets(this.#options.db, { spaceId, month, after, rowsMax: PAGE_ROWS });
      const before = space.size;
      for (const { id, values } of sets) space.add(id, values);
      if (this.#spaces.get(spaceId) === space) this.#values += space.size - before;
      const last = sets.at(-1);
      if (last === undefined || sets.length < PAGE_ROWS) return;
      after = last.id;
    }
  }
}

/** All that attributes a call, before it is bounded; null: nothing does. */
export function attributedValues(
  { rules }: Pick<Principal, 'rules'>,
  sources: AttributionSources,
): AttributionValues | null {
  const { tags = null, metadata = NO_TAGS, defaults = null, endUser, session } = sources;
  const { tags: ofKey } = rules.key;
  const { tags: ofMember } = rules.member;
  const untagged =
    tags === null && metadata.length === 0 && defaults === null && ofKey === null && ofMember === null;
  if (untagged && endUser === undefined && session === undefined) return null;
  const values: Record<string, string | null> = {};
  if (!untagged)
    addTags(values, [
      tags ?? NO_TAGS,
      metadata,
      defaults ?? NO_TAGS,
      defaultTags(ofKey),
      defaultTags(ofMember),
    ]);
  if (endUser !== undefined) values[END_USER] = keptValue(endUser);
  if (session !== undefined) values[SESSION] = keptValue(session);
  return values;
}

function addTags(values: Record<string, string | null>, sources: readonly Tags[]): void {
  let count = 0;
  for (const tags of sources)
    for (const [key, value] of tags) {
      const dimension = tagDimension(key);
      if (count === TAGS_MAX) return;
      if (values[dimension] !== undefined) continue;
      values[dimension] = value;
      count++;
    }
}

const VALUE_CHARACTERS_MAX = 256;
const CONTROLS = /\p{Cc}/u;

/** Null: it is not kept, and counts as other. */
function keptValue(value: string | null): string | null {
  if (value === null || value.length > VALUE_CHARACTERS_MAX) return null;
  return CONTROLS.test(value) || !value.isWellFormed() ? null : value;
}

const parsed = new Map<string, Tags>();
const PARSED_MAX = 1_000;

/** The tags of a rule, which were checked when it was set. */
export function defaultTags(text: string | null): Tags {
  if (text === null) return NO_TAGS;
  let tags = parsed.get(text);
  if (tags === undefined) {
    const read = readTags(text);
    tags = typeof read === 'string' ? NO_TAGS : read;
    if (parsed.size >= PARSED_MAX) parsed.clear();
    parsed.set(text, tags);
  }
  return tags;
}

/**
 * The batches and files that a provider keeps, whatever its protocol: what was submitted, what runs, and
 * what comes of it. A batch has ended when its time has come and somebody looks; its lines are run then.
 */
import { randomBase62 } from '../../src/kernel/ids.ts';
import { type Instant, systemClock } from '../../src/kernel/time.ts';
import { ExactAnswers } from '../exact-answers.ts';
import { Holds } from '../holds.ts';
import type { Reply } from '../reply.ts';
import { type BatchCues, type HoldPoint, readBatchCues } from './batch-cues.ts';

/** A line as a protocol has it. */
export interface ShopLine {
  readonly customId: string;
  /** What the provider makes of it: the line of the results, and whether it went well. */
  run(): { text: string; ok: boolean };
  /** The line of the results when it was not run. */
  unrun(why: 'cancelled' | 'expired'): string;
}

export interface ShopBatch {
  readonly id: string;
  readonly dialect: string;
  readonly createdAt: Instant;
  readonly lines: readonly ShopLine[];
  readonly cues: BatchCues;
  readonly metadata: Readonly<Record<string, string>>;
  readonly inputFile: string | null;
  readonly endpoint: string;
  cancelledAt: Instant | null;
  /** Infinite while it runs with no end in sight. */
  endsAt: Instant;
  removed: boolean;
  results: ShopResults | null;
}

export interface ShopResults {
  readonly end: 'completed' | 'cancelled' | 'expired' | 'failed';
  readonly good: readonly string[];
  readonly bad: readonly string[];
  readonly counts: { ok: number; failed: number; cancelled: number; expired: number };
}

export interface ShopFile {
  readonly id: string;
  readonly createdAt: Instant;
  readonly name: string;
  readonly purpose: string;
  readonly bytes: Buffer;
  readonly mediaType: string;
}

const SLOW_MS = 1_500;
/** Until a batch is in the list, where it comes late. */
const LATE_MS = 2_000;
const CANCEL_MS = 30;

export class Shop {
  readonly answers = new ExactAnswers();
  readonly batches: ShopBatch[] = [];
  readonly files = new Map<string, ShopFile>();
  /** Of batches that ended, by name. */
  readonly resultFiles = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #holds = new Holds<HoldPoint>();

  addFile(
    file: Pick<ShopFile, 'name' | 'purpose' | 'bytes'> & { mediaType?: string; prefix?: string },
  ): ShopFile {
    const { prefix = 'file-', mediaType = 'application/octet-stream', ...given } = file;
    const id = `${prefix}${randomBase62(22)}`;
    const stored = { ...given, mediaType, id, createdAt: systemClock.now() };
    this.files.set(stored.id, stored);
    return stored;
  }

  addBatch(
    batch: Pick<ShopBatch, 'dialect' | 'lines' | 'metadata' | 'inputFile' | 'endpoint'> & {
      prefix: string;
      text: string;
    },
  ): ShopBatch {
    const { prefix, text, ...given } = batch;
    const cues = readBatchCues(text);
    const now = systemClock.now();
    const stays = cues.names.has('stay');
    const added: ShopBatch = {
      ...given,
      id: `${prefix}${randomBase62(24)}`,
      createdAt: now,
      cues,
      cancelledAt: null,
      endsAt: stays ? Number.POSITIVE_INFINITY : now + (cues.names.has('slow') ? SLOW_MS : 0),
      removed: false,
      results: null,
    };
    this.batches.unshift(added);
    return added;
  }

  find(id: string, dialect: string): ShopBatch | null {
    return this.batches.find((it) => it.id === id && it.dialect === dialect && !it.removed) ?? null;
  }

  /** The newest first; those that are hidden at first are not there. */
  list(dialect: string): ShopBatch[] {
    return this.batches.filter((batch) => {
      if (batch.dialect !== dialect || batch.removed) return false;
      return !batch.cues.names.has('list-late') || systemClock.now() >= batch.createdAt + LATE_MS;
    });
  }

  cancel(batch: ShopBatch): void {
    if (this.resultsOf(batch) !== null || batch.cancelledAt !== null) return;
    batch.cancelledAt = systemClock.now();
    batch.endsAt = batch.cancelledAt + CANCEL_MS;
  }

  /** Null while it runs. */
  resultsOf(batch: ShopBatch): ShopResults | null {
    if (batch.results === null && systemClock.now() >= batch.endsAt) batch.results = runLines(batch);
    return batch.results;
  }

  /** True once for each thing, false ever after. */
  firstTime(thing: string): boolean {
    if (this.#seen.has(thing)) return false;
    this.#seen.add(thing);
    return true;
  }

  /** Waits where a cue says so: the first to come there, until it is let go. False: it left before. */
  async hold(point: HoldPoint, at: { text: string; key: string; reply: Reply }): Promise<boolean> {
    return !readBatchCues(at.text).names.has(`hold-${point}`) || (await this.#holds.wait(point, at));
  }

  held(point: HoldPoint): number {
    return this.#holds.held(point);
  }

  forget(): void {
    this.#holds.forget();
  }

  release(point: HoldPoint): void {
    this.#holds.release(point);
  }
}

/** One that was stopped on its way has run the first half. */
function runLines(batch: ShopBatch): ShopResults {
  const { cues, lines } = batch;
  if (cues.names.has('failed')) {
    return { end: 'failed', good: [], bad: [], counts: { ok: 0, failed: 0, cancelled: 0, expired: 0 } };
  }
  const end = endOf(batch);
  const run = end === 'completed' ? lines.length : Math.floor(lines.length / 2);
  const good: string[] = [];
  const bad: string[] = [];
  for (const line of lines.slice(0, run)) {
    const { text, ok } = line.run();
    (ok ? good : bad).push(text);
  }
  const counts = { ok: good.length, failed: bad.length, cancelled: 0, expired: 0 };
  if (end !== 'completed') {
    counts[end] = lines.length - run;
    bad.push(...lines.slice(run).map((line) => line.unrun(end)));
  }
  if (cues.names.has('wrong-counts')) counts.ok--;
  return { end, counts, ...spoiled(cues, { good, bad }) };
}

function endOf({ cues, cancelledAt }: ShopBatch): 'completed' | 'cancelled' | 'expired' {
  if (cues.names.has('expired')) return 'expired';
  return cancelledAt !== null || cues.names.has('cancelled') ? 'cancelled' : 'completed';
}

function spoiled(
  { names }: BatchCues,
  { good, bad }: { good: string[]; bad: string[] },
): Pick<ShopResults, 'good' | 'bad'> {
  // No order is promised, and so there is none.
  const shuffled = good.toReversed();
  if (names.has('missing-line')) shuffled.pop();
  if (names.has('unreadable-line')) shuffled[0] = (shuffled[0] ?? '').slice(0, -20);
  if (names.has('double-line')) shuffled.push(shuffled[0] ?? '');
  if (names.has('foreign-line')) shuffled.push((shuffled[0] ?? '').replace(/-\d+"/, '-999999"'));
  return { good: shuffled, bad };
}

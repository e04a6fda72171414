/**
 * Fills the demo with an invented past, in the background, after its first start. It is written in small transactions,
 * so that calls do not wait for it. The audit line of the demo space says that the demo has a past and when it ends;
 * another one says that it is complete. If the process stops in between, the next start continues.
 */
import { findAuditLine, insertAuditLine } from '../access/audit.store.ts';
import { findSpace } from '../access/spaces.store.ts';
import type { Database } from '../database/database.ts';
import type { Running } from '../kernel/running.ts';
import { type Clock, type Instant, kstOf, pause } from '../kernel/time.ts';
import { insertRefusals } from '../metering/refusals.store.ts';
import { findRecorded } from '../reports/explain.store.ts';
import { writeLimits } from './demo-administration.ts';
import { writeBudgets } from './demo-budgets.ts';
import { pastStart } from './demo-event.ts';
import { type HistoryDay, historyDays } from './demo-history.ts';
import { limitRejection } from './demo-incidents.ts';
import { DemoRandom } from './demo-random.ts';
import { DemoScene, type DemoTools, type KnownKeys } from './demo-scene.ts';
import { SPACE } from './demo-workloads.ts';

/** Who writes it, in the audit log. */
const ACTOR = 'demo';
const FILLED = 'demo.fill';
/** Between two days, so that others get the only connection of the embedded database. */
const PAUSE_MS = 5;

export interface DemoDataOptions extends DemoTools {
  readonly clock: Clock;
  /** Keys and limits have changed. */
  readonly onChange: () => Promise<void>;
}

export class DemoData implements Running {
  readonly #options: DemoDataOptions;
  readonly #stopped = new AbortController();
  readonly #keys: KnownKeys = new Map();
  /** Resolves to whether the demo has all its data; false after a stop. Never rejects. */
  done: Promise<boolean> = Promise.resolve(false);

  constructor(options: DemoDataOptions) {
    this.#options = options;
  }

  start(): void {
    this.done = this.runOnce().catch((error: unknown) => {
      this.#options.log.error('the demo data could not be written; the next start continues', { error });
      return false;
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.done;
  }

  async runOnce(): Promise<boolean> {
    const { db, clock, onChange } = this.#options;
    const until = await unfinishedPast(db);
    if (until === null) return true;
    for (const day of await this.#missing(historyDays(until))) {
      if (this.#stopped.signal.aborted) return false;
      await this.#inTransaction((scene) => day.write(scene));
      await pause(clock, PAUSE_MS, this.#stopped.signal);
    }
    await this.#inTransaction((scene) => finish(scene, until));
    await onChange();
    return true;
  }

  /** The days are written in order, so those after the first that is missing are missing too. */
  async #missing(days: readonly HistoryDay[]): Promise<readonly HistoryDay[]> {
    for (const [index, { firstCallId }] of days.entries())
      if ((await findRecorded(this.#options.db, firstCallId)) === null) return days.slice(index);
    return [];
  }

  async #inTransaction(work: (scene: DemoScene) => Promise<void>): Promise<void> {
    await this.#options.db.transaction((tx) => work(new DemoScene(tx, this.#options, this.#keys)));
  }
}

/** When the past ends that is still to be written; null if there is none. */
async function unfinishedPast(db: Database): Promise<Instant | null> {
  const space = await findSpace(db, SPACE);
  if (space === null) return null;
  const of = { spaceId: space.id, actor: ACTOR };
  const created = await findAuditLine(db, { ...of, action: 'spaces.create' });
  const until = (created?.after as { past_until?: string } | null)?.past_until;
  if (until === undefined) return null;
  const filled = await findAuditLine(db, { ...of, action: FILLED });
  return filled === null ? Date.parse(until) : null;
}

async function finish(scene: DemoScene, until: Instant): Promise<void> {
  const at = until - 60_000;
  scene.clock.moveTo(at);
  await writeLimits(scene);
  await writeBudgets(scene);
  const { key, refusal } = limitRejection(at + 20_000, new DemoRandom('limit'));
  const { keyId, spaceId } = await scene.key(SPACE, key);
  await insertRefusals(scene.tx, [{ ...refusal, keyId, spaceId }]);
  const after = { from: kstOf(pastStart(until)), until: kstOf(until) };
  const line = { at: until, actor: ACTOR, action: FILLED, spaceId, subject: SPACE, before: null, after };
  await insertAuditLine(scene.tx, line);
}

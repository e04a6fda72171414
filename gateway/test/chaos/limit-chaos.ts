/**
 * A space with hard limits or hard budgets, called through three processes that get into trouble while callers use up what it
 * has: they are killed and started again, are paused until they are taken for dead, or lose all connections to the database. Afterwards they go on until nothing is left, so that what the killed had is used too.
 */
import { sql } from '../../src/database/sql.ts';
import { randomFraction } from '../../src/kernel/ids.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { multiplyUnits, parseUnits, printUnits, sumUnits, type Units } from '../../src/kernel/units.ts';
import { simulated, testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { GatewayProcesses } from '../support/gateway-processes.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const PROCESSES = 3;
const CALLERS = 60;
const SPACE = 'hard';
const LOOK_MS = 100;
/** After a refusal that asks to come again. */
const AGAIN_MS = 50;
/** 0.0001 units for a token of an answer. */
const config = testConfig({
  models: { 'sim-capped': { ...simulated('sim-chat'), output_tokens_max: 100_000, context_tokens: 200_000 } },
  prices: { 'sim-capped': { input: 0, output: 100 } },
});
/** What a call may cost at most. */
export const CALL_MOST = parseUnits('0.01');
/** What the space holds for each call: a little less than calls cost on average, so that the last kills find little left. */
const LIMIT_EACH = parseUnits('0.006');
const WORDS_MAX = 50;
const TEAMS = 4;

export type Trouble = 'kill -9' | 'pause' | 'disconnect';

/** What calls may cost together, and cost. */
export interface WallRun {
  readonly limit: Units;
  readonly spent: Units;
}

export interface LimitChaosRun {
  /** All calls together. */
  readonly limit: Units;
  readonly spent: Units;
  /** Each limit of its own. */
  readonly walls: readonly WallRun[];
  readonly answered: number;
  readonly refused: number;
  /** Nobody saw their answers: their process was killed. */
  readonly broken: number;
  /** How long after each kill nothing belonged to the killed process any more. */
  readonly freeMs: readonly number[];
  /** How many calls paused processes had in hand. */
  readonly inHand: number;
  readonly disagreements: readonly object[];
  /** What all rows of usage by tag, end user, session and pairs of them add up to. */
  readonly attributed: readonly Units[];
  /** The refusals after everything was used up, one in each process. */
  readonly last: readonly number[];
  /** What living and dead processes still have in the end, after all have stopped. */
  readonly unused: Units;
}

interface LimitChaosOptions {
  readonly calls: number;
  /** How often there is trouble. */
  readonly times: number;
  readonly trouble: Trouble;
  /** The units of the space, or two budgets of it: one by tag, and one for each session. Default: units. */
  readonly by?: 'units' | 'budgets';
}

/** What limits the calls. */
interface Walls {
  /** Returns a key. */
  make(gateway: TestGateway, limit: Units): Promise<string>;
  /** For each wall: calls that it limits. */
  readonly calls: ReadonlyArray<() => object>;
  /** The status of its refusals. */
  readonly refusal: number;
  spent(gateway: TestGateway, limit: Units): Promise<WallRun[]>;
}

export async function runLimitChaos(options: LimitChaosOptions): Promise<LimitChaosRun> {
  const gateway = await startGateway({ engine: 'postgres', config });
  try {
    const processes = await GatewayProcesses.start(gateway, config, PROCESSES);
    try {
      return await runWith(gateway, processes, options);
    } finally {
      await processes.stop();
    }
  } finally {
    await gateway.stop();
  }
}

async function runWith(
  gateway: TestGateway,
  processes: GatewayProcesses,
  { calls, times, trouble, by = 'units' }: LimitChaosOptions,
): Promise<LimitChaosRun> {
  const limit = multiplyUnits(LIMIT_EACH, { count: calls, per: 1 });
  const wall = walls[by];
  const key = await wall.make(gateway, limit);
  const callers = new Callers(processes, key, wall);
  const using = callers.start(CALLERS);
  const freed: Promise<number>[] = [];
  let inHand = 0;
  for (let i = 0; i < times; i++) {
    // Somewhere among the calls that belong to this time. Those that follow go to the others meanwhile.
    await callers.ended(Math.floor((calls * (i + randomFraction())) / times));
    const victim = Math.floor(randomFraction() * PROCESSES);
    const id = await processes.idOf(victim);
    if (trouble === 'kill -9') {
      await processes.at(victim).kill();
      freed.push(freeAgain(gateway, id));
      await processes.restart(victim);
    } else if (trouble === 'pause') {
      const goOn = processes.pause(victim);
      inHand += callers.runningAt(victim);
      const free = freeAgain(gateway, id);
      freed.push(free);
      await free;
      goOn();
    } else await disconnectAll(gateway);
  }
  await using;
  const freeMs = await Promise.all(freed);
  // What the last killed had may have become free after callers were refused.
  await callers.start(PROCESSES);
  const last: number[] = [];
  for (const place of processes.alive)
    for (const call of wall.calls) last.push((await processes.chat(place, key, call())).status);
  await Promise.all(processes.alive.map((place) => processes.at(place).stop()));
  const { answered, refused, broken } = callers;
  return {
    ...{ limit, answered, refused, broken, freeMs, inHand, last },
    spent: await spentBy(gateway),
    walls: await wall.spent(gateway, limit),
    disagreements: (await gateway.admin('ledger.verify')).disagreements,
    attributed: by === 'units' ? await attributedSums(gateway) : [],
    unused: await unusedSlices(gateway),
  };
}

type CallEnd = 'answered' | 'again' | 'spent';

/** Call until nothing is left, each time another process. */
class Callers {
  readonly #processes: GatewayProcesses;
  readonly #key: string;
  readonly #wall: Pick<Walls, 'calls' | 'refusal'>;
  #waiting: Array<{ readonly count: number; readonly resolve: () => void }> = [];
  #finished = false;
  readonly #running = new Map<number, number>();
  answered = 0;
  refused = 0;
  broken = 0;

  constructor(processes: GatewayProcesses, key: string, wall: Pick<Walls, 'calls' | 'refusal'>) {
    this.#processes = processes;
    this.#key = key;
    this.#wall = wall;
  }

  async start(count: number): Promise<void> {
    this.#finished = false;
    const { calls } = this.#wall;
    const one = (i: number): Promise<void> => this.#call(calls[i % calls.length] as () => object);
    await Promise.all(Array.from({ length: count }, (_, i) => one(i)));
    this.#finished = true;
    this.#notice();
  }

  /** Resolves when so many calls were answered or broken, or nothing is left. */
  ended(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve });
      this.#notice();
    });
  }

  async #call(call: () => object): Promise<void> {
    const deadline = systemClock.elapsedMs() + 10 * PATIENCE_MS;
    while (systemClock.elapsedMs() < deadline) {
      const { alive } = this.#processes;
      const place = alive[Math.floor(randomFraction() * alive.length)];
      const end = place === undefined ? 'again' : await this.#onceAt(place, call);
      this.#notice();
      if (end === 'spent') return;
      if (end === 'again') await pause(systemClock, AGAIN_MS);
    }
    throw new Error('units are held for ever');
  }

  runningAt(place: number): number {
    return this.#running.get(place) ?? 0;
  }

  async #onceAt(place: number, call: () => object): Promise<CallEnd> {
    this.#running.set(place, this.runningAt(place) + 1);
    try {
      return await this.#once(place, call);
    } finally {
      this.#running.set(place, this.runningAt(place) - 1);
    }
  }

  async #once(place: number, call: () => object): Promise<CallEnd> {
    try {
      const reply = await this.#processes.chat(place, this.#key, call());
      const text = await reply.text();
      if (reply.status === 200) {
        this.answered++;
        return 'answered';
      }
      // The database did not answer.
      if (reply.status === 503) return 'again';
      if (reply.status !== this.#wall.refusal) throw new Unexpected(`${reply.status}: ${text}`);
      this.refused++;
      return reply.headers.get('x-should-retry') === 'true' ? 'again' : 'spent';
    } catch (error) {
      if (error instanceof Unexpected) throw error;
      this.broken++;
      return 'again';
    }
  }

  #notice(): void {
    const ended = this.#finished ? Number.POSITIVE_INFINITY : this.answered + this.broken;
    for (const { resolve } of this.#waiting.filter(({ count }) => count <= ended)) resolve();
    this.#waiting = this.#waiting.filter(({ count }) => count > ended);
  }
}

class Unexpected extends Error {}

/** It is under way so long that kills find many of them, and costs from a few hundredths of what it may cost to all of it. */
function randomCall(attribution: object = randomAttribution()): object {
  const words = 1 + Math.floor(randomFraction() * WORDS_MAX);
  const content = `[[fault slow-first-byte]] [[delay 60]] ${words} words`;
  const messages = [{ role: 'user', content }];
  return { model: 'sim-capped', max_completion_tokens: 100, messages, ...attribution };
}

/** Some calls are attributed to nothing, others to a tag, an end user and a session. */
function randomAttribution(): object {
  const of = Math.floor(randomFraction() * TEAMS);
  if (of === 0) return {};
  return { metadata: { team: `team-${of}` }, ...(of > 1 && { user: `user-${of}`, prompt_cache_key: 's1' }) };
}

const halfOf = (limit: Units): Units => multiplyUnits(limit, { count: 1, per: 2 });

const walls: Readonly<Record<'units' | 'budgets', Walls>> = {
  units: {
    make: makeSpace,
    calls: [() => randomCall()],
    refusal: 402,
    spent: async (gateway, limit) => [{ limit, spent: await spentBy(gateway) }],
  },
  budgets: {
    async make({ admin }, limit) {
      await admin('spaces.create', { name: SPACE, overage: true });
      const budget = { space: SPACE, amount: printUnits(halfOf(limit)), hard: true };
      await admin('budgets.add', { ...budget, name: 'of a team', window: 'month', tags: 'team=walled' });
      await admin('budgets.add', { ...budget, name: 'each session', window: 'lifetime', per: 'session' });
      return (await admin('keys.create', { space: SPACE, name: 'chaos', kind: 'shared' })).key;
    },
    calls: [
      () => randomCall({ metadata: { team: 'walled' } }),
      () => randomCall({ prompt_cache_key: 'an agent that runs away' }),
    ],
    refusal: 429,
    async spent({ admin }, limit) {
      const { data } = await admin('budgets.list', { space: SPACE });
      return data.map(({ spent }) => ({ limit: halfOf(limit), spent: parseUnits(spent) }));
    },
  },
};

async function makeSpace({ admin }: TestGateway, limit: Units): Promise<string> {
  await admin('spaces.create', { name: SPACE, overage: false });
  await admin('spaces.hard_limits', { space: SPACE, hard: true });
  await admin('grants.add', { space: SPACE, amount: printUnits(limit), kind: 'paid' });
  return (await admin('keys.create', { space: SPACE, name: 'chaos', kind: 'shared' })).key;
}

/** Ends all sessions, in the middle of whatever they do. */
async function disconnectAll(gateway: TestGateway): Promise<void> {
  await gateway.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
}

/** Looks until a killed or paused process is known to be dead and has no slices. Returns how long that took. */
async function freeAgain(gateway: TestGateway, id: string): Promise<number> {
  const killedMs = systemClock.elapsedMs();
  for (;;) {
    const [row] = await gateway.query<{ has: boolean }>(sql`
      select exists (select from slices where process_id = ${id})
        or exists (select from processes where id = ${id} and ended_at is null) as has`);
    const elapsedMs = systemClock.elapsedMs() - killedMs;
    if (row?.has === false || elapsedMs > PATIENCE_MS) return elapsedMs;
    await pause(systemClock, LOOK_MS);
  }
}

async function spentBy(gateway: TestGateway): Promise<Units> {
  const [row] = await gateway.query<{ cost: string }>(sql`
    select coalesce(sum(t.cost), 0) as cost from month_totals t join spaces s on s.id = t.space_id
    where s.name = ${SPACE}`);
  return parseUnits(row?.cost ?? '0');
}

async function attributedSums({ admin }: TestGateway): Promise<Units[]> {
  const dimensions = ['tag:team', 'end_user', 'session'] as const;
  const pairs = dimensions.flatMap((by) => [
    { by },
    ...[...dimensions, 'model', 'key'].filter((and) => and !== by).map((and) => ({ by, and })),
  ]);
  const reports = await Promise.all(pairs.map((pair) => admin('reports.usage', { space: SPACE, ...pair })));
  for (const { by, rows } of reports)
    if (!rows.some(({ kind }) => kind === 'value')) throw new Error(`nothing is attributed by ${by}`);
  return reports.map(({ rows }) => sumUnits(rows.map(({ cost }) => parseUnits(cost))));
}

async function unusedSlices(gateway: TestGateway): Promise<Units> {
  const [row] = await gateway.query<{ unused: string }>(sql`
    select coalesce(sum(l.granted - purse_spent(p.kind, p.id, s.id, p.starts, l.process_id)), 0) as unused
    from slices l cross join lateral (select split_part(l.purse, ':', 1) as kind, split_part(l.purse, ':', 2) as id,
      split_part(l.purse, ':', 3) as starts) p
    join spaces s on s.name = ${SPACE} and (p.id = s.id or p.kind = 'budget')`);
  return parseUnits(row?.unused ?? '0');
}

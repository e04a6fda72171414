import { describe, expect, test } from 'vitest';
import { DatabaseUnavailable } from '../../database/database.ts';
import { systemClock } from '../../kernel/time.ts';
import { parseUnits, type Units, ZERO } from '../../kernel/units.ts';
import { Purse, type PurseAnswer } from './purse.ts';
import { type PurseAsk, PurseAsks, type PurseStore } from './purse-asks.ts';

const one = parseUnits('1');
const answer = (granted: Units): PurseAnswer => ({
  ...{ granted, own: ZERO, limit: parseUnits('100'), spent: ZERO, reserved: ZERO },
  ...{ left: parseUnits('50'), others: ZERO, validUntil: null, turn: 1 },
});

/** Statements that a test answers, and a clock that it moves. */
function stage() {
  let nowMs = 0;
  let timers: Array<{ atMs: number; work: () => void }> = [];
  const statements: Array<{
    names: string[];
    given: PromiseWithResolvers<Array<PurseAnswer | null> | 'ended'>;
  }> = [];
  const store: PurseStore = {
    raise(asks: readonly PurseAsk[]) {
      const given = Promise.withResolvers<Array<PurseAnswer | null> | 'ended'>();
      statements.push({ names: asks.map(({ name }) => name.id), given });
      return given.promise;
    },
    giveBack: () => Promise.resolve([]),
    recall: () => Promise.resolve(),
  };
  let registered = 0;
  const asks = new PurseAsks({
    ...{ store, unapplied: () => ZERO },
    clock: {
      ...systemClock,
      elapsedMs: () => nowMs,
      after(delayMs, work) {
        const timer = { atMs: nowMs + delayMs, work };
        timers.push(timer);
        return () => {
          timers = timers.filter((one) => one !== timer);
        };
      },
    },
    onEnded: async () => void registered++,
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    asks,
    store,
    statements,
    registered: () => registered,
    settle,
    async pass(ms: number): Promise<void> {
      nowMs += ms;
      const due = timers.filter(({ atMs }) => atMs <= nowMs);
      timers = timers.filter(({ atMs }) => atMs > nowMs);
      for (const { work } of due) work();
      await settle();
    },
    /** What the statements were about so far. */
    asked: () => statements.map(({ names }) => names.join(' ')),
    async answer(index: number, ...answers: Array<PurseAnswer | null>): Promise<void> {
      statements[index]?.given.resolve(answers);
      await settle();
    },
  };
}

const purseOf = (id: string): Purse => new Purse({ kind: 'space', id, spaceId: id, window: null }, 0);
const [a, b, c, d, e] = 'abcde'.split('') as [string, string, string, string, string];

describe('questions about purses', () => {
  test('that are asked at the same time share a statement; later ones wait for it and share the next', async () => {
    const { asks, settle, asked, answer: reply } = stage();
    const ask = (purse: Purse): Promise<void> => asks.ask({ purse, need: one, hard: false });
    const first = Promise.all([purseOf(a), purseOf(b)].map(ask));
    await settle();
    const later = Promise.all([purseOf(c), purseOf(d)].map(ask));
    await settle();
    expect(asked()).toEqual(['a b']);
    await reply(0, answer(one), answer(one));
    await first;
    expect(asked()).toEqual(['a b', 'c d']);
    await reply(1, answer(one), answer(one));
    await later;
  });

  test('do not wait for a statement that takes long, unless it is about the same purse; three are under way at most', async () => {
    const { asks, settle, asked, pass, answer: reply } = stage();
    const stuck = purseOf(a);
    const ask = (purse: Purse): Promise<void> => asks.ask({ purse, need: one, hard: false });
    void ask(stuck);
    await settle();
    void ask(stuck);
    void ask(purseOf(b));
    await pass(20);
    void ask(purseOf(c));
    await pass(20);
    void ask(purseOf(d));
    await pass(20);
    void ask(purseOf(e));
    await pass(20);
    expect(asked()).toEqual(['a', 'b', 'c']);
    await reply(1, answer(one));
    expect(asked()).toEqual(['a', 'b', 'c', 'd e']);
    await reply(0, answer(one));
    await pass(20);
    expect(asked().at(-1)).toBe('a');
  });

  test('about a purse that somebody else has locked are asked again, keep no other waiting, and fail in the end', async () => {
    const { asks, asked, pass, answer: reply, settle } = stage();
    const locked = asks.ask({ purse: purseOf(a), need: one, hard: false });
    const failed = expect(locked).rejects.toBeInstanceOf(DatabaseUnavailable);
    const other = asks.ask({ purse: purseOf(b), need: one, hard: false });
    await settle();
    await reply(0, null, answer(one));
    await other;
    let tries = 1;
    for (let ms = 0; ms <= 910 && asked().length === tries; ms += 3) {
      await pass(3);
      if (asked().length === tries + 1) await reply(tries++, null);
    }
    await failed;
    expect(new Set(asked().slice(1))).toEqual(new Set(['a']));
    await pass(1_000);
    expect(asked(), 'nobody waits for it any more').toHaveLength(tries);
  });

  test('that fail are asked again with the next one or on request, not at once', async () => {
    const { asks, asked, statements, settle } = stage();
    const failed = asks.ask({ purse: purseOf(a), need: one, hard: false });
    await settle();
    statements[0]?.given.reject(new DatabaseUnavailable('away'));
    await expect(failed).rejects.toThrow('away');
    await settle();
    expect(asked()).toEqual(['a']);
    void asks.ask({ purse: purseOf(b), need: one, hard: false });
    await settle();
    expect(asked()).toEqual(['a', 'a b']);
    statements[1]?.given.reject(new DatabaseUnavailable('away'));
    await settle();
    asks.retry();
    await settle();
    expect(asked()).toEqual(['a', 'a b', 'a b']);
  });

  test('follow a return; what the database did not get back may still be used in an outage', async () => {
    const { asks, store, settle, answer: reply, asked } = stage();
    const purse = purseOf(a);
    const answered = asks.ask({ purse, need: one, hard: false });
    await settle();
    await reply(0, answer(one));
    await answered;
    const giveBack = store.giveBack;
    store.giveBack = () => Promise.reject(new DatabaseUnavailable('away'));
    await expect(asks.giveBack(purse)).rejects.toThrow('away');
    expect([purse.free, purse.answeredMs]).toEqual([one, Number.NEGATIVE_INFINITY]);
    store.giveBack = giveBack;
    void asks.ask({ purse, need: one, hard: false });
    await settle();
    expect([purse.free, asked()]).toEqual([ZERO, ['a', 'a']]);
  });

  test('whose slice is lost meanwhile are asked again, and the answer is not used', async () => {
    const { asks, asked, pass, answer: reply, settle } = stage();
    const purse = purseOf(a);
    const answered = asks.ask({ purse, need: one, hard: false });
    await settle();
    purse.lose();
    await reply(0, answer(parseUnits('9')));
    expect(purse.free).toBe(ZERO);
    await pass(3);
    expect(asked()).toEqual(['a', 'a']);
    await reply(1, answer(one));
    await answered;
    expect(purse.free).toBe(one);
  });

  test('of a process that others took for dead are asked again after it has registered once', async () => {
    const { asks, asked, pass, statements, settle, registered } = stage();
    void asks.ask({ purse: purseOf(a), need: one, hard: false });
    await settle();
    statements[0]?.given.resolve('ended');
    await settle();
    expect(registered()).toBe(1);
    await pass(3);
    expect(asked()).toEqual(['a', 'a']);
  });

  test('wait while the slices of their purses are moved, and work that moves slices waits for answers', async () => {
    const { asks, asked, answer: reply, settle } = stage();
    const [purse, other] = [purseOf(a), purseOf(b)];
    void asks.ask({ purse, need: one, hard: false });
    await settle();
    const moved = Promise.withResolvers<void>();
    let isMoving = false;
    const moving = asks.alone([purse], async () => {
      isMoving = true;
      await moved.promise;
    });
    await settle();
    expect(isMoving).toBe(false);
    await reply(0, answer(one));
    expect(isMoving).toBe(true);
    void asks.ask({ purse, need: one, hard: false });
    void asks.ask({ purse: other, need: one, hard: false });
    await settle();
    expect(asked()).toEqual(['a', 'b']);
    moved.resolve();
    await moving;
    await reply(1, answer(one));
    expect(asked()).toEqual(['a', 'b', 'a']);
  });
});

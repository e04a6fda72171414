import { expect, test } from 'vitest';
import { PurseModel } from '../../../test/chaos/purse-model.ts';
import { systemClock } from '../../kernel/time.ts';
import { parseUnits, ZERO } from '../../kernel/units.ts';
import type { Hold } from './hold.ts';
import type { PurseName } from './purse.ts';
import { PurseBook } from './purse-book.ts';
import { figuresByKind, oldestHoldMs } from './purse-figures.ts';

const space: PurseName = { kind: 'space', id: 'spc_1', spaceId: 'spc_1', window: null };
const key: PurseName = { kind: 'key', id: 'key_1', spaceId: 'spc_1', window: '2026-11' };
const AT = Date.parse('2026-11-18T00:00:00Z');

test('holds are counted by kind, and the oldest is known however many came and went after it', async () => {
  const model = new PurseModel();
  for (const name of [space, key]) model.setLimit(name, parseUnits('100'));
  let nowMs = 0;
  const clock = { ...systemClock, elapsedMs: () => nowMs };
  const book = new PurseBook({
    ...{ clock, store: model.store('a') },
    unapplied: () => ZERO,
    onEnded: () => Promise.resolve(),
  });
  const hold = async (amount: string, ...names: PurseName[]): Promise<Hold> => {
    const purses = names.map((name) => ({ name, limit: null }));
    const taken = await book.hold({ purses, amount: parseUnits(amount), hard: true });
    if ('refused' in taken) throw new Error(taken.reason);
    return taken;
  };
  expect(oldestHoldMs(book, nowMs)).toBe(0);

  const first = await hold('1', space, key);
  for (nowMs = 1_000; nowMs < 10_000; nowMs += 1_000) {
    const next = await hold('0.5', space);
    if (nowMs % 2_000 === 0) next.settle(parseUnits('0.5'), AT);
    else next.release();
  }
  const last = await hold('2', key);
  expect([book.holds.size, oldestHoldMs(book, nowMs)]).toEqual([2, 10_000]);
  expect(figuresByKind(book)).toEqual([
    { kind: 'space', purses: 1, held: parseUnits('1') },
    { kind: 'key', purses: 1, held: parseUnits('3') },
    { kind: 'member', purses: 0, held: ZERO },
    { kind: 'budget', purses: 0, held: ZERO },
  ]);

  nowMs += 500;
  first.grow(parseUnits('1.5'));
  first.release();
  // What comes after the end has no effect.
  first.settle(parseUnits('1'), AT);
  first.grow(parseUnits('5'));
  expect([book.holds.size, oldestHoldMs(book, nowMs)]).toEqual([1, 500]);
  last.move();
  expect([book.holds.size, oldestHoldMs(book, nowMs)]).toEqual([0, 0]);
  expect(figuresByKind(book).map(({ held }) => held)).toEqual([ZERO, ZERO, ZERO, ZERO]);
});

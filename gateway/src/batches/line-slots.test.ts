import { describe, expect, test } from 'vitest';
import type { Clock } from '../kernel/time.ts';
import { LineSlots } from './line-slots.ts';

/** A clock that only moves when a test moves it. */
class StillClock implements Clock {
  #nowMs = 0;
  #later: Array<{ atMs: number; work: () => void }> = [];
  now = (): number => this.#nowMs;
  elapsedMs = (): number => this.#nowMs;
  after(delayMs: number, work: () => void): () => void {
    const entry = { atMs: this.#nowMs + delayMs, work };
    this.#later.push(entry);
    return () => {
      this.#later = this.#later.filter((other) => other !== entry);
    };
  }
  every = (): (() => void) => () => undefined;
  pass(ms: number): void {
    this.#nowMs += ms;
    const due = this.#later.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#later = this.#later.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { work } of due) work();
  }
}

function stage(linesMax: number) {
  const clock = new StillClock();
  const slots = new LineSlots({ clock, linesMax });
  const started: string[] = [];
  const take = (space: string, model = 'm'): void => {
    void slots.take(space, model).then(() => started.push(space));
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { clock, slots, started, take, turn };
}

describe('running lines', () => {
  test('never exceed the limit', async () => {
    const { slots, started, take, turn } = stage(3);
    for (let i = 0; i < 10; i++) take('a');
    await turn();
    expect([slots.running, started.length]).toEqual([3, 3]);
    slots.give('a', 'm', null);
    await turn();
    expect([slots.running, started.length]).toEqual([3, 4]);
  });

  test('are shared fairly among spaces, however many lines a space has', async () => {
    const { slots, started, take, turn } = stage(4);
    for (let i = 0; i < 100; i++) take('large');
    await turn();
    for (let i = 0; i < 10; i++) take('small');
    for (let i = 0; i < 4; i++) slots.give('large', 'm', null);
    await turn();
    expect(started.slice(4).sort()).toEqual(['large', 'large', 'small', 'small']);
  });

  test('of a rate-limited model are halved and paused, and increase again as lines succeed', async () => {
    const { clock, slots, started, take, turn } = stage(8);
    for (let i = 0; i < 100; i++) take('a');
    await turn();
    for (let i = 0; i < 8; i++) slots.give('a', 'm', 1_000);
    await turn();
    expect(started.length).toBe(8);
    clock.pass(999);
    await turn();
    expect(started.length).toBe(8);
    clock.pass(1);
    await turn();
    expect(slots.running).toBe(4);
    for (let i = 0; i < 4; i++) slots.give('a', 'm', null);
    await turn();
    expect(slots.running).toBe(5);
  });

  test('of other models continue while one model is paused', async () => {
    const { slots, started, take, turn } = stage(2);
    take('a', 'tired');
    await turn();
    slots.give('a', 'tired', 60_000);
    take('a', 'tired');
    take('a', 'fresh');
    await turn();
    expect(started).toEqual(['a', 'a']);
    expect(slots.running).toBe(1);
  });
});

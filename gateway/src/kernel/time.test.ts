import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type Clock,
  type Instant,
  isoOf,
  type Month,
  monthOf,
  monthStart,
  nextMonth,
  pause,
  printMonthEnd,
  printMonthStart,
  systemClock,
  unixSecondsOf,
} from './time.ts';

const at = (text: string): Instant => Date.parse(text);

const seoul = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Asia/Seoul',
  calendar: 'gregory',
  year: 'numeric',
  month: '2-digit',
});

function monthByIntl(instant: Instant): Month {
  const parts = new Map(seoul.formatToParts(instant).map((part) => [part.type, part.value]));
  return `${parts.get('year')}-${parts.get('month')}`;
}

/** Written a second way and without a cache: the print of the instant moved by nine hours. */
function monthByPrint(instant: Instant): Month {
  return new Date(instant + 9 * 3_600_000).toISOString().slice(0, 7);
}

// Korea kept summer time for the last time in 1988; the time-zone data follow it before that.
const modern = fc.integer({ min: at('1989-01-01T00:00:00Z'), max: at('2400-01-01T00:00:00Z') });
const anyInstant = fc.integer({ min: at('0000-02-01T00:00:00Z'), max: at('9999-11-01T00:00:00Z') });
const months = fc
  .tuple(fc.integer({ min: 0, max: 9998 }), fc.integer({ min: 1, max: 12 }))
  .map(([year, month]) => `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`);

describe('months in Korea', () => {
  it.each([
    ['2026-10-31T23:59:59.999+09:00', '2026-10'],
    ['2026-11-01T00:00:00.000+09:00', '2026-11'],
    ['2026-10-31T14:59:59.999Z', '2026-10'],
    ['2026-10-31T15:00:00.000Z', '2026-11'],
    ['2026-12-31T23:59:59.999+09:00', '2026-12'],
    ['2027-01-01T00:00:00.000+09:00', '2027-01'],
    ['2026-12-31T15:00:00.000Z', '2027-01'],
    ['2028-02-29T00:00:00.000+09:00', '2028-02'],
    ['2028-02-29T23:59:59.999+09:00', '2028-02'],
    ['2028-03-01T00:00:00.000+09:00', '2028-03'],
    ['2027-02-28T23:59:59.999+09:00', '2027-02'],
    ['2027-03-01T00:00:00.000+09:00', '2027-03'],
    ['2100-02-28T23:59:59.999+09:00', '2100-02'],
    ['2100-03-01T00:00:00.000+09:00', '2100-03'],
    ['2000-02-29T23:59:59.999+09:00', '2000-02'],
    ['1970-01-01T00:00:00.000Z', '1970-01'],
  ])('%s falls in %s', (text, month) => {
    expect(monthOf(at(text))).toBe(month);
  });

  it('every instant falls in the month that the time zone of Seoul says', () => {
    fc.assert(
      fc.property(modern, (instant) => monthOf(instant) === monthByIntl(instant)),
      { numRuns: 3000 },
    );
  });

  it('the month is right whatever instants were asked about before', () => {
    const nearEdge = fc
      .tuple(months, fc.constantFrom(-1, 0, 1, 86_400_000, -86_400_000))
      .map(([month, offset]) => monthStart(month) + offset)
      .filter((instant) => instant > at('0000-02-01T00:00:00Z'));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyInstant, nearEdge, modern), { minLength: 2, maxLength: 40 }),
        (list) => {
          for (const instant of [...list, ...list.toReversed()]) {
            expect(monthOf(instant)).toBe(monthByPrint(instant));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('a month of the first century is not mistaken for one of the twentieth', () => {
    const early = at('0050-06-15T00:00:00Z');
    const late = at('1950-06-15T00:00:00Z');
    expect([early, late, early].map(monthOf)).toEqual(['0050-06', '1950-06', '0050-06']);
    expect(monthStart('0050-06')).toBe(at('0050-06-01T00:00:00+09:00'));
  });

  it('a month begins at its first instant and the one before belongs to the month before', () => {
    fc.assert(
      fc.property(months, (month) => {
        expect(monthOf(monthStart(month))).toBe(month);
        expect(monthOf(monthStart(nextMonth(month)) - 1)).toBe(month);
        expect(monthOf(monthStart(nextMonth(month)))).toBe(nextMonth(month));
      }),
    );
  });

  it('the printed start of a month is the instant it begins at', () => {
    expect(printMonthStart('2026-11')).toBe('2026-11-01T00:00:00+09:00');
    fc.assert(fc.property(months, (month) => at(printMonthStart(month)) === monthStart(month)));
  });

  it('the printed end of a month is the instant at which the next begins, also of the last that can be printed', () => {
    fc.assert(fc.property(months, (month) => at(printMonthEnd(month)) === monthStart(nextMonth(month))));
    expect(at(printMonthEnd('9999-12'))).toBe(at('+010000-01-01T00:00:00+09:00'));
  });

  it('December is followed by January of the next year', () => {
    expect(nextMonth('2026-12')).toBe('2027-01');
    expect(nextMonth('2026-01')).toBe('2026-02');
    expect(nextMonth('0999-12')).toBe('1000-01');
  });

  it.each([
    '',
    '2026',
    '2026-1',
    '2026-00',
    '2026-13',
    '26-01',
    '2026-01-01',
    ' 2026-01',
    '2026-01\n',
    '２026-01',
  ])('%j is refused as a month', (text) => {
    expect(() => monthStart(text)).toThrow(RangeError);
    expect(() => nextMonth(text)).toThrow(RangeError);
    expect(() => printMonthStart(text)).toThrow(RangeError);
  });

  it('an instant without a month of four digits is refused, and the next answer is still right', () => {
    for (const instant of [Number.NaN, Number.POSITIVE_INFINITY, at('+010000-06-01T00:00:00Z')]) {
      expect(() => monthOf(instant)).toThrow(RangeError);
      expect(monthOf(at('2026-11-15T00:00:00Z'))).toBe('2026-11');
    }
  });
});

describe('prints of an instant', () => {
  it('an instant prints in UTC with milliseconds, and as whole seconds rounded down', () => {
    expect(isoOf(1_700_000_000_123)).toBe('2023-11-14T22:13:20.123Z');
    expect(unixSecondsOf(1_700_000_000_999)).toBe(1_700_000_000);
    expect(unixSecondsOf(-1)).toBe(-1);
  });
});

describe('pause', () => {
  it('a pause ends when its time has passed, not before', async () => {
    const clock = new HandClock();
    const state = watch(pause(clock, 100));
    clock.pass(99);
    await settle();
    expect(state.done).toBe(false);
    clock.pass(1);
    await settle();
    expect(state.done).toBe(true);
  });

  it('a pause that ran its time leaves no listener on the signal', async () => {
    const clock = new HandClock();
    const controller = new AbortController();
    const waiting = pause(clock, 100, controller.signal);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    clock.pass(100);
    await waiting;
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    expect(clock.waiting).toBe(0);
  });

  it('an abort ends a pause at once and leaves neither timer nor listener', async () => {
    const clock = new HandClock();
    const controller = new AbortController();
    const waiting = pause(clock, 3_600_000, controller.signal);
    expect(clock.waiting).toBe(1);
    controller.abort();
    await waiting;
    expect(clock.waiting).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('a pause under a signal that has already gone off ends at once and leaves nothing', async () => {
    const clock = new HandClock();
    const signal = AbortSignal.abort();
    await pause(clock, 3_600_000, signal);
    expect(clock.waiting).toBe(0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('a thousand pauses under one signal leave no listener behind', async () => {
    const clock = new HandClock();
    const { signal } = new AbortController();
    for (let i = 0; i < 1000; i++) {
      const waiting = pause(clock, 10, signal);
      clock.pass(10);
      await waiting;
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('the system clock', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('work runs once after its delay, and not at all when cancelled', () => {
    vi.useFakeTimers();
    const ran: string[] = [];
    systemClock.after(50, () => ran.push('kept'));
    systemClock.after(50, () => ran.push('cancelled'))();
    vi.advanceTimersByTime(49);
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(ran).toEqual(['kept']);
  });

  it('repeated work runs each period until it is cancelled', () => {
    vi.useFakeTimers();
    let runs = 0;
    const cancel = systemClock.every(10, () => runs++);
    vi.advanceTimersByTime(35);
    expect(runs).toBe(3);
    cancel();
    vi.advanceTimersByTime(100);
    expect(runs).toBe(3);
  });

  it('repeated work does not keep the process alive', () => {
    const before = activeTimers();
    const cancel = systemClock.every(3_600_000, () => undefined);
    expect(activeTimers()).toBe(before);
    cancel();
  });

  it('the hour is that of the system and durations never run backwards', () => {
    const before = Date.now();
    const now = systemClock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
    const first = systemClock.elapsedMs();
    expect(systemClock.elapsedMs()).toBeGreaterThanOrEqual(first);
  });
});

/** A clock that moves only when the test says so. */
class HandClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ at: number; work: () => void }>();

  get waiting(): number {
    return this.#timers.size;
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at <= this.#now && this.#timers.delete(timer)) timer.work();
    }
  }

  now = (): number => this.#now;
  elapsedMs = (): number => this.#now;

  after(delayMs: number, work: () => void): () => void {
    const timer = { at: this.#now + delayMs, work };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  every(): () => void {
    throw new Error('no test needs it');
  }
}

function watch(promise: Promise<unknown>): { done: boolean } {
  const state = { done: false };
  void promise.then(() => {
    state.done = true;
  });
  return state;
}

/** Lets everything that is already due run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

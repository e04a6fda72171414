import { describe, expect, test } from 'vitest';
import { logTimeOf, readLogTime, secondOf, startOfSecond } from './log-time.ts';

describe('the time of a line', () => {
  test.each([
    ['2026-11-15T03:00:00.123456789Z', '2026-11-15T03:00:00.123456789Z'],
    ['2026-11-15T03:00:00.12Z', '2026-11-15T03:00:00.120000000Z'],
    ['2026-11-15T03:00:00Z', '2026-11-15T03:00:00.000000000Z'],
    ['2026-11-15T12:00:00.123456789+09:00', '2026-11-15T03:00:00.123456789Z'],
    ['2026-11-14T23:00:00.5-04:00', '2026-11-15T03:00:00.500000000Z'],
    ['2026-11-15 03:00:00', null],
    ['tomorrow', null],
    ['2026-99-15T03:00:00+09:00', null],
    ['', null],
  ])('%s is %s', (text, time) => {
    expect(readLogTime(text)).toBe(time);
  });

  test('falls into a whole second, and a second begins at its time', () => {
    expect(secondOf('2026-11-15T03:00:01.999999999Z')).toBe(Date.parse('2026-11-15T03:00:01Z') / 1000);
    expect(startOfSecond(secondOf('2026-11-15T03:00:01.999999999Z'))).toBe('2026-11-15T03:00:01.000000000Z');
    expect(logTimeOf(Date.parse('2026-11-15T03:00:01.5Z'))).toBe('2026-11-15T03:00:01.500000000Z');
  });
});

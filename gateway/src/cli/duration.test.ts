import { expect, test } from 'vitest';
import { durationIn } from './duration.ts';

test.each([
  ['1h', 'h', 1],
  ['48', 'h', 48],
  ['2d', 'h', 48],
  ['1d12h', 'h', 36],
  ['90', 'd', 90],
  ['2w', 'd', 14],
  ['10m', 's', 600],
  ['1h30m', 's', 5_400],
  ['0', 'h', 0],
] as const)('%s is read in %s as %d', (text, unit, expected) => {
  expect(durationIn(unit)(text, '--for')).toBe(expected);
});

test.each([
  ['90m', 'h', '--for "90m" is not valid: it must be a whole number of hours, such as 1h, 36h or 2d.'],
  ['12h', 'd', '--for "12h" is not valid: it must be a whole number of days, such as 1d, 2w or 90d.'],
  ['1y', 'h', 'it must be a duration such as 1h, 36h or 2d; a number alone means hours.'],
  ['-1', 'h', 'it must be a duration'],
  ['1.5h', 'h', 'it must be a duration'],
  ['1h1h', 'h', 'it must be a duration'],
  ['', 'd', 'it must be a duration'],
] as const)('%s in %s is rejected with what is allowed', (text, unit, message) => {
  expect(() => durationIn(unit)(text, '--for')).toThrow(message);
});

test('a default is shown with its unit', () => {
  expect(durationIn('h').write?.(24)).toBe('24h');
});

import { expect, test } from 'vitest';
import { email, listOrAll, oneOf, onOff, orNone, time, timeOrNow, wholeNumber } from './words.ts';

test.each<[string, unknown, unknown]>([
  ['a whole number', wholeNumber('90', '--days'), 90],
  ['a negative number', wholeNumber('-1', '--days'), -1],
  ['on', onOff('on', 'allowed'), true],
  ['off', onOff('off', 'allowed'), false],
  ['none', orNone(wholeNumber)('none', '--tokens'), null],
  ['a limit', orNone(wholeNumber)('60', '--tokens'), 60],
  ['a list', listOrAll('a,b,c', 'models'), ['a', 'b', 'c']],
  ['all', listOrAll('all', 'models'), null],
  ['a day (KST)', time('2026-12-31', '--expires'), '2026-12-31T23:59:59+09:00'],
  ['a moment', time('2026-12-31T18:00:00+09:00', '--expires'), '2026-12-31T09:00:00.000Z'],
  ['now', timeOrNow('now', 'date'), 'now'],
  ['an e-mail address', email('kim@example.com', 'email'), 'kim@example.com'],
  ['one of several words', oneOf(['paid', 'promo'])('promo', '--kind'), 'promo'],
])('%s is read as a value', (_, value, expected) => {
  expect(value).toEqual(expected);
});

test.each<[() => unknown, string]>([
  [() => wholeNumber('1.5', '--days'), '--days "1.5" is not valid: it must be a whole number.'],
  [() => wholeNumber('', '--days'), '--days "" is not valid: it must be a whole number.'],
  [() => onOff('yes', 'allowed'), 'allowed "yes" is not valid: it must be on or off.'],
  [
    () => oneOf(['paid', 'promo'])('free', '--kind'),
    '--kind "free" is not valid: it must be one of paid, promo.',
  ],
  [
    () => listOrAll('a,,b', 'models'),
    'models "a,,b" is not valid: it must be a list like a,b,c, without spaces, or all.',
  ],
  [
    () => time('2026-02-30', '--expires'),
    '"2026-02-30" is not a date. Write a day (KST) as YYYY-MM-DD, or a moment as',
  ],
  [
    () => email('kim', 'email'),
    'email "kim" is not valid: it must be an e-mail address, such as kim@example.com.',
  ],
  [() => time('tomorrow', '--expires'), '"tomorrow" is not a date.'],
])('%s is rejected with the words that are allowed', (read, message) => {
  expect(read).toThrow(message);
});

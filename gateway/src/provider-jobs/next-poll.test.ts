import { expect, test } from 'vitest';
import { nextPoll } from './next-poll.ts';

const NOW = 1_000_000;
const clock = { now: () => NOW };
const FAR = NOW + 1e9;

test.each([
  ['a second at first', { pollingSince: NOW, expiresAt: FAR }, 1_000],
  ['a second before anything was sent', { pollingSince: null, expiresAt: FAR }, 1_000],
  ['a tenth of its age', { pollingSince: NOW - 50_004, expiresAt: FAR }, 5_000],
  ['no longer than the configured maximum', { pollingSince: NOW - 900_000, expiresAt: FAR }, 60_000],
  ['no longer than until its expiry', { pollingSince: NOW - 900_000, expiresAt: NOW + 7 }, 7],
  ['as before once it has expired', { pollingSince: NOW - 900_000, expiresAt: NOW }, 60_000],
])('the next poll waits %s', (_, state, waitMs) => {
  expect(nextPoll(state, { clock, pollMs: 60_000 }) - NOW).toBe(waitMs);
});

test('a configured maximum below a second is kept', () => {
  expect(nextPoll({ pollingSince: null, expiresAt: FAR }, { clock, pollMs: 100 }) - NOW).toBe(100);
});

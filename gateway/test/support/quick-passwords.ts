/**
 * Passwords of tests are hashed in a moment: at the cost of production, hashing took 15 s of the suite. The real cost is
 * tested beside the code, in a test that asks for it, and in gateways that are processes of their own.
 */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { setHashCost } from '../../src/access/passwords.ts';

const QUICK = { memory: 64, passes: 1, parallelism: 1 };

beforeAll(() => setHashCost(QUICK));
afterAll(() => setHashCost(null));

/** Until the test that runs has ended. */
export function useRealHashCost(): void {
  setHashCost(null);
  onTestFinished(() => setHashCost(QUICK));
}

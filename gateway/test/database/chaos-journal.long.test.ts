/**
 * Billing under kill -9 with journals of calls: two processes on one data folder, killed while their PostgreSQL does not
 * answer. Without kills, `journal.test.ts` has the usual case, and without a journal `chaos.test.ts`.
 */
import { describe } from 'vitest';
import { describeKills } from '../chaos/kill-promises.ts';
import { engines } from '../support/engines.ts';

describe.runIf(engines.includes('postgres'))('kill -9 on postgres with a journal', () => {
  describeKills('postgres', { journal: true });
});

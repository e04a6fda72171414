/**
 * Power cuts, as far as a program can make them: the disk is one in memory that loses, tears and reorders what was not
 * synced. TOLLGATE_POWER_SEEDS sets how many histories there are, TOLLGATE_POWER_FIRST the first seed.
 */
import { describe, expect, test } from 'vitest';
import { runPowerHistory } from '../support/power-run.ts';

const seeds = Number(process.env.TOLLGATE_POWER_SEEDS ?? 200);
const first = Number(process.env.TOLLGATE_POWER_FIRST ?? 1);

describe('power cuts and kills, several in a row, also during recovery', () => {
  test(
    'every call whose reply was delivered is in the database once, exactly as it was recorded, and every statement sees it',
    async () => {
      for (let seed = first; seed < first + seeds; seed++) {
        const faults = await runPowerHistory(seed);
        expect(faults, `seed ${seed}`).toEqual([]);
      }
    },
    60_000 + seeds * 100,
  );
});

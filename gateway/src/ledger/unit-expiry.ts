/** The repeating task that expires promo units. Every process runs it; the account locks make it happen once. */
import type { Database } from '../database/database.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import type { Clock } from '../kernel/time.ts';
import { expireUnits } from './expiry.store.ts';

/** A charge never takes expired units, so the exact moment does not matter. */
const SWEEP_MS = 10_000;

export class UnitExpiry extends Sweeper {
  constructor({ db, clock }: { db: Database; clock: Clock }) {
    super({
      clock,
      everyMs: SWEEP_MS,
      atStart: 'in background',
      async sweep() {
        await expireUnits(db, clock.now());
        return false;
      },
    });
  }
}

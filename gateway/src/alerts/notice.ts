/** What a room declares so that the sweep notices events in its tables. */
import type { Transaction } from '../database/database.ts';
import type { Instant } from '../kernel/time.ts';
import type { NewEvent } from './event.ts';

/** Returns what is worth an event now, at most NOTICED_MAX; what happened before may be among it. */
export type Notice = (tx: Transaction, now: Instant) => Promise<readonly NewEvent[]>;

/** Events of one notice in one transaction; the rest is noticed by the next sweep. */
export const NOTICED_MAX = 500;

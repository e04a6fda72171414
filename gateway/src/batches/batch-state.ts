/**
 * The states of a batch and of its settlement, and the moves between them. Pure. The stores update a row only from an
 * allowed state, so of two concurrent moves one has no effect.
 */
import type { StateTable } from '../kernel/state-table.ts';

export type BatchStatus =
  | 'validating'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'failed'
  | 'cancelling'
  | 'cancelled'
  | 'expired';

export type SettlementStatus = 'pending' | 'queued' | 'processing' | 'settling' | 'settled' | 'quarantined';

export const batchMoves: StateTable<BatchStatus> = {
  validating: ['in_progress', 'failed', 'cancelling'],
  in_progress: ['finalizing', 'cancelling', 'failed', 'expired'],
  finalizing: ['completed', 'failed'],
  cancelling: ['cancelled', 'completed'],
  completed: [],
  failed: [],
  cancelled: [],
  expired: [],
};

export const settlementMoves: StateTable<SettlementStatus> = {
  pending: ['queued'],
  queued: ['processing'],
  processing: ['settling', 'quarantined'],
  settling: ['settled', 'quarantined'],
  settled: [],
  quarantined: ['queued'],
};

/**
 * The states of a batch and of its settlement, and the moves between them. Pure; the stores write a move
 * only from the state it starts at, so of two that meet one finds the other's done.
 */

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

export const batchMoves: Readonly<Record<BatchStatus, readonly BatchStatus[]>> = {
  validating: ['in_progress', 'failed', 'cancelling'],
  in_progress: ['finalizing', 'cancelling', 'failed', 'expired'],
  finalizing: ['completed', 'failed'],
  cancelling: ['cancelled', 'completed'],
  completed: [],
  failed: [],
  cancelled: [],
  expired: [],
};

export const settlementMoves: Readonly<Record<SettlementStatus, readonly SettlementStatus[]>> = {
  pending: ['queued'],
  queued: ['processing'],
  processing: ['settling', 'quarantined'],
  settling: ['settled', 'quarantined'],
  settled: [],
  quarantined: ['queued'],
};

/** The states from which a state can be reached. */
export function sourcesOf(status: BatchStatus): BatchStatus[] {
  return (Object.keys(batchMoves) as BatchStatus[]).filter((from) => batchMoves[from].includes(status));
}

export function settlementSourcesOf(status: SettlementStatus): SettlementStatus[] {
  return (Object.keys(settlementMoves) as SettlementStatus[]).filter((from) =>
    settlementMoves[from].includes(status),
  );
}

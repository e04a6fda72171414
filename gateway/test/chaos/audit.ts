/** Lays the journals of the clients, the provider and the ledger beside each other. Pure. */
import { parseUnits } from '../../src/kernel/units.ts';
import type { CallNote } from './client.ts';
import type { Ledger } from './ledger.ts';

export interface Journals {
  readonly clients: readonly CallNote[];
  /** The mark of every call the provider got. */
  readonly provider: readonly string[];
  readonly ledger: Ledger;
}

/** Replies that reached a client in full and are not charged exactly once at the cost they showed. */
export function wrongCharges({ clients, ledger }: Journals): string[] {
  const rows = Map.groupBy(ledger.calls, (call) => call.id);
  return clients
    .filter((note) => note.end === 'full')
    .flatMap((note) => {
      const name = `${note.requestId} (${note.kind}, ${note.mark})`;
      const [row, ...more] = rows.get(note.requestId ?? '') ?? [];
      if (row === undefined) return [`${name} was received in full but is not in the ledger`];
      if (more.length > 0) return [`${name} is in the ledger ${more.length + 1} times`];
      if (row.outcome === 'failed') return [`${name} was received in full but counts as failed`];
      if (note.cost === undefined || sameAmount(note.cost, row.cost)) return [];
      return [`${name} showed ${note.cost} but was charged ${row.cost}`];
    });
}

/** Ids that stand for more than one call, in either journal. */
export function repeatedIds({ clients, ledger }: Journals): string[] {
  return [
    ...repeated(clients.flatMap((note) => note.requestId ?? [])),
    ...repeated(ledger.calls.map((call) => call.id)),
  ];
}

/** Calls the provider was asked for more than once. */
export function repeatedAsks({ provider }: Journals): string[] {
  return repeated(provider);
}

/** Rows whose reply no client received in full: the kill, or the client's leaving, came in between. */
export function unseenRows({ clients, ledger }: Journals): number {
  const seen = new Set(clients.filter((note) => note.end === 'full').map((note) => note.requestId));
  return ledger.calls.filter((call) => !seen.has(call.id)).length;
}

function sameAmount(shown: string | null, charged: string | null): boolean {
  return shown === null || charged === null ? shown === charged : parseUnits(shown) === parseUnits(charged);
}

function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.has(value) || !seen.add(value));
}

/**
 * What calls cost that are durable here and not in the database. Limits count it beside what the database knows.
 */
import type { Month } from '../kernel/time.ts';
import { addUnits, subtractUnits, type Units, ZERO } from '../kernel/units.ts';
import { rowCharge } from './call-record.ts';
import type { CallRow } from './call-writer.ts';

const NO_COSTS: ReadonlyMap<string, Units> = new Map();

export class UnappliedCosts {
  readonly #spaces = new Map<string, Units>();
  /** Of keys and members. */
  readonly #months = new Map<Month, Map<string, Units>>();

  add(rows: readonly CallRow[]): void {
    this.#change(rows, addUnits);
  }

  remove(rows: readonly CallRow[]): void {
    this.#change(rows, subtractUnits);
  }

  /** By the ids of spaces, and of keys and members in this month. */
  ofMonth(month: Month): ReadonlyMap<string, Units> {
    if (this.#spaces.size === 0) return NO_COSTS;
    return new Map([...this.#spaces, ...(this.#months.get(month) ?? [])]);
  }

  #change(rows: readonly CallRow[], change: (sum: Units, cost: Units) => Units): void {
    for (const { row, spaceId, month } of rows) {
      const charge = rowCharge(row);
      if (charge === null) continue;
      changeIn(this.#spaces, spaceId, (sum) => change(sum, charge.cost));
      let owners = this.#months.get(month);
      if (owners === undefined) {
        owners = new Map();
        this.#months.set(month, owners);
      }
      for (const id of charge.ids) changeIn(owners, id, (sum) => change(sum, charge.cost));
      if (owners.size === 0) this.#months.delete(month);
    }
  }
}

function changeIn(sums: Map<string, Units>, id: string, change: (sum: Units) => Units): void {
  const sum = change(sums.get(id) ?? ZERO);
  if (sum === ZERO) sums.delete(id);
  else sums.set(id, sum);
}

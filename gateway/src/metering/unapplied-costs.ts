/**
 * What calls cost that are durable here and not in the database. Limits count it beside what the database knows.
 */
import type { WindowName } from '../kernel/period.ts';
import { addUnits, subtractUnits, type Units, ZERO } from '../kernel/units.ts';
import { rowCharge } from './call-record.ts';
import type { CallRow } from './call-writer.ts';

const NO_COSTS: ReadonlyMap<string, Units> = new Map();

export class UnappliedCosts {
  readonly #spaces = new Map<string, Units>();
  /** Of keys, members and budgets. */
  readonly #windows = new Map<WindowName, Map<string, Units>>();

  add(rows: readonly CallRow[]): void {
    this.#change(rows, addUnits);
  }

  remove(rows: readonly CallRow[]): void {
    this.#change(rows, subtractUnits);
  }

  /** By the ids of spaces, and of keys, members and budgets in this window. */
  of(window: WindowName): ReadonlyMap<string, Units> {
    if (this.#spaces.size === 0) return NO_COSTS;
    return new Map([...this.#spaces, ...(this.#windows.get(window) ?? [])]);
  }

  #change(rows: readonly CallRow[], change: (sum: Units, cost: Units) => Units): void {
    for (const { row, spaceId, month } of rows) {
      const charge = rowCharge(row);
      if (charge === null) continue;
      changeIn(this.#spaces, spaceId, (sum) => change(sum, charge.cost));
      for (const id of charge.ids) this.#changeIn(month, id, (sum) => change(sum, charge.cost));
      for (const { purse, window } of charge.budgets)
        this.#changeIn(window, purse, (sum) => change(sum, charge.cost));
    }
  }

  #changeIn(window: WindowName, id: string, change: (sum: Units) => Units): void {
    let owners = this.#windows.get(window);
    if (owners === undefined) {
      owners = new Map();
      this.#windows.set(window, owners);
    }
    changeIn(owners, id, change);
    if (owners.size === 0) this.#windows.delete(window);
  }
}

function changeIn(sums: Map<string, Units>, id: string, change: (sum: Units) => Units): void {
  const sum = change(sums.get(id) ?? ZERO);
  if (sum === ZERO) sums.delete(id);
  else sums.set(id, sum);
}

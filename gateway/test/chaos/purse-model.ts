/**
 * What the database does with purses, in a few lines, for the same asks: the store that the real one is compared with. It also
 * knows what was really spent, so that a test can say that no limit was passed.
 */
import { addUnits, subtractUnits, sumUnits, type Units, ZERO } from '../../src/kernel/units.ts';
import type { PurseAnswer, PurseName } from '../../src/metering/purses/purse.ts';
import { purseId } from '../../src/metering/purses/purse.ts';
import type { PurseAsk, PurseStore } from '../../src/metering/purses/purse-asks.ts';

interface ModelPurse {
  limit: Units;
  /** What was charged by nobody: corrections, batches. */
  others: Units;
  /** By process. */
  readonly spent: Map<string, Units>;
  readonly granted: Map<string, Units>;
  readonly turns: Map<string, number>;
}

export class PurseModel {
  readonly #purses = new Map<string, ModelPurse>();
  readonly #alive = new Set<string>();
  /** Who hears of recalls and returns, by process. */
  readonly #listeners = new Map<string, { recalled(id: string): void; givenBack(id: string): void }>();

  setLimit(name: PurseName, limit: Units): void {
    this.#purse(purseId(name)).limit = limit;
  }

  limit(name: PurseName): Units {
    return this.#purse(purseId(name)).limit;
  }

  spent(name: PurseName): Units {
    const { others, spent } = this.#purse(purseId(name));
    return addUnits(others, sumUnits(spent.values()));
  }

  charge(name: PurseName, process: string | null, cost: Units): void {
    const purse = this.#purse(purseId(name));
    if (process === null) purse.others = addUnits(purse.others, cost);
    else purse.spent.set(process, addUnits(purse.spent.get(process) ?? ZERO, cost));
  }

  /** What all processes have and have not used. */
  outstanding(name: PurseName): Units {
    return this.#outstanding(this.#purse(purseId(name)));
  }

  /** The process is dead, and its slices are free again. */
  fold(process: string): void {
    this.#alive.delete(process);
    this.#listeners.delete(process);
    for (const { granted } of this.#purses.values()) granted.delete(process);
  }

  store(
    process: string,
  ): PurseStore & { listen(to: { recalled(id: string): void; givenBack(id: string): void }): void } {
    this.#alive.add(process);
    return {
      listen: (to) => void this.#listeners.set(process, to),
      raise: async (asks) => asks.map((ask) => this.#raise(process, ask)),
      giveBack: async (slices) => {
        for (const { id, kept, turn } of slices) {
          const { granted, turns } = this.#purse(id);
          if (turn !== turns.get(process)) continue;
          if (kept === null) granted.delete(process);
          else if (kept < (granted.get(process) ?? ZERO)) granted.set(process, kept);
          this.#tell((listener) => listener.givenBack(id), process);
        }
        return [];
      },
      recall: async (id) => this.#tell((listener) => listener.recalled(id), process),
    };
  }

  #tell(
    say: (listener: { recalled(id: string): void; givenBack(id: string): void }) => void,
    from: string,
  ): void {
    for (const [process, listener] of this.#listeners) if (process !== from) say(listener);
  }

  #raise(process: string, { name, need, want, hard }: PurseAsk): PurseAnswer {
    const purse = this.#purse(purseId(name));
    const spent = this.spent(name);
    const left = subtractUnits(subtractUnits(purse.limit, spent), this.#outstanding(purse));
    const room = left > ZERO ? left : ZERO;
    const fair = this.#alive.size <= 1 ? room : ((room / BigInt(2 * this.#alive.size)) as Units);
    const eighth = (fair / 8n) as Units;
    const wanted = want > eighth ? want : eighth;
    const fairly = wanted < fair ? wanted : fair;
    const most = need > fairly ? need : fairly;
    const give = most > room ? (hard && need > room ? ZERO : room) : most;
    const own = purse.spent.get(process) ?? ZERO;
    const before = purse.granted.get(process) ?? ZERO;
    const granted = addUnits(before > own ? before : own, give);
    purse.granted.set(process, granted);
    purse.turns.set(process, (purse.turns.get(process) ?? 0) + 1);
    const used = subtractUnits(granted, own);
    return {
      ...{ granted, own },
      ...{ limit: purse.limit, spent, reserved: ZERO, left: subtractUnits(left, give) },
      others: subtractUnits(this.#outstanding(purse), used > ZERO ? used : ZERO),
      validUntil: null,
      turn: purse.turns.get(process) ?? 0,
    };
  }

  #outstanding({ granted, spent }: ModelPurse): Units {
    return sumUnits(
      [...granted].map(([process, amount]) => {
        const rest = subtractUnits(amount, spent.get(process) ?? ZERO);
        return rest > ZERO ? rest : ZERO;
      }),
    );
  }

  #purse(id: string): ModelPurse {
    let purse = this.#purses.get(id);
    if (purse === undefined) {
      purse = { limit: ZERO, others: ZERO, spent: new Map(), granted: new Map(), turns: new Map() };
      this.#purses.set(id, purse);
    }
    return purse;
  }
}

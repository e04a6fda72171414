/** State machines as data: each state lists the states it can move to. Pure. */
export type StateTable<State extends string> = Readonly<Record<State, readonly State[]>>;

/** The states that can move to `to`. Stores update only rows in one of these. */
export function statesBefore<State extends string>(table: StateTable<State>, to: State): State[] {
  return (Object.keys(table) as State[]).filter((from) => table[from].includes(to));
}

/** Declares the commands that administer: each runs one operation, so that both lists can be compared. */
import type { InputOf, OperationName, ResultOf } from '../../contract/administration/admin-endpoints.ts';
import { LIST_LIMIT_DEFAULT } from '../../contract/administration/words.ts';
import {
  type Argument,
  type CliCommand,
  type CommandOption,
  type CommonFlags,
  command,
  flag,
  option,
  type Values,
} from '../command.ts';
import { printCsv, printFields, printRows, type Row } from '../print.ts';
import { wholeNumber } from '../words.ts';
import { administer } from './administer.ts';

type Arguments = Record<string, Argument<unknown>>;
type Options = Record<string, CommandOption<unknown>>;

interface Definition<Name extends OperationName, A extends Arguments, O extends Options> {
  readonly name: string;
  readonly help: string;
  readonly arguments?: A;
  readonly options?: O;
  readonly note?: string;
  /** The input of the operation, where what is typed has other names. */
  readonly input?: (typed: Values<A> & Values<O>) => InputOf<Name> | Promise<InputOf<Name>>;
}

/** Prints the answer field by field, unless `print` does it in another way. */
export function adminCommand<
  Name extends OperationName,
  A extends Arguments = Record<never, never>,
  O extends Options = Record<never, never>,
>(
  operation: Name,
  definition: Definition<Name, A, O> & {
    print?: (result: ResultOf<Name>, flags: CommonFlags) => void | Promise<void>;
  },
): CliCommand {
  const { input, print = printAnswer, ...rest } = definition;
  return command({
    ...rest,
    operations: [operation],
    async run(typed, flags) {
      const given = input === undefined ? (typed as unknown as InputOf<Name>) : await input(typed);
      await print(await administer(operation, given, flags), flags);
    },
  });
}

type ListName = {
  [Name in OperationName]: ResultOf<Name> extends { data: unknown[]; next_cursor: string | null }
    ? Name
    : never;
}[OperationName];
type Item<Name extends ListName> = ResultOf<Name>['data'][number];

const page = {
  limit: option('<number>', 'how many to show', { read: wholeNumber, default: LIST_LIMIT_DEFAULT }),
  all: flag('show all, however many there are'),
  csv: flag('print comma-separated values'),
};

/** A list: prints `columns` for people and everything as JSON or CSV. */
export function listCommand<
  Name extends ListName,
  A extends Arguments = Record<never, never>,
  O extends Options = Record<never, never>,
>(
  operation: Name,
  definition: Definition<Name, A, O> & {
    readonly columns: ReadonlyArray<keyof Item<Name> & string>;
    readonly empty: string;
    /** What a row shows, where it is not the item itself. */
    readonly row?: (item: Item<Name>) => Row;
  },
): CliCommand {
  const { input, columns, empty, row, ...rest } = definition;
  return command({
    ...rest,
    options: { ...(rest.options as O), ...page },
    operations: [operation],
    async run(typed, flags) {
      const { limit, all, csv, ...filters } = typed as Values<typeof page> & Values<A> & Values<O>;
      const given = input === undefined ? (filters as unknown as InputOf<Name>) : await input(typed);
      const { items, more } = await readList(operation, given, { limit, all, flags });
      if (csv) printCsv(items, Object.keys(items[0] ?? {}));
      else if (flags.json) printRows(items, { json: true, empty });
      else printRows(items.map(row ?? ((item) => pick(item, columns))), { empty });
      if (more && !csv && !flags.json) process.stderr.write(`There are more: use --limit NUMBER or --all.\n`);
    },
  });
}

const PAGE_ITEMS_MAX = 1_000;

/** Follows the cursor until `limit` items are read, or all. */
async function readList<Name extends ListName>(
  operation: Name,
  input: InputOf<Name>,
  { limit, all, flags }: { limit: number; all: boolean; flags: CommonFlags },
): Promise<{ items: Array<Item<Name> & Row>; more: boolean }> {
  const items: Array<Item<Name> & Row> = [];
  let cursor: string | undefined;
  for (;;) {
    const left = all ? PAGE_ITEMS_MAX : Math.min(limit - items.length, PAGE_ITEMS_MAX);
    const asked = { ...input, limit: left, ...(cursor !== undefined && { cursor }) };
    const { data, next_cursor } = await administer(operation, asked as InputOf<Name>, flags);
    items.push(...(data as Array<Item<Name> & Row>));
    if (next_cursor === null) return { items, more: false };
    if (!all && items.length >= limit) return { items, more: true };
    cursor = next_cursor;
  }
}

function pick(item: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((name) => [name, item[name]]));
}

function printAnswer(result: unknown, flags: CommonFlags): void {
  printFields(result as Row, flags);
}

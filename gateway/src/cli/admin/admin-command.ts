/** Declares the commands that administer: each runs one operation, so that both lists can be compared. */
import type { InputOf, OperationName, ResultOf } from '../../contract/administration/admin-endpoints.ts';
import {
  type FilteredList,
  type ListFilter,
  listFilters,
} from '../../contract/administration/list-filters.ts';
import { LIST_LIMIT_DEFAULT } from '../../contract/administration/words.ts';
import {
  type Argument,
  type CliCommand,
  type CommandOption,
  type CommonFlags,
  command,
  flag,
  option,
  type Read,
  type Values,
} from '../command.ts';
import { printFields, printJson, printRows } from '../print.ts';
import type { Row } from '../table.ts';
import { email, oneOf, time, wholeNumber } from '../words.ts';
import { withAdministration } from './administer.ts';
import type { Administration } from './administration.ts';

type Arguments = Record<string, Argument<unknown>>;
type Options = Record<string, CommandOption<unknown>>;

interface Definition<Name extends OperationName, A extends Arguments, O extends Options> {
  /** Default: that of the operation, such as `list` of `keys.list`. */
  readonly name?: string;
  readonly help: string;
  readonly arguments?: A;
  readonly options?: O;
  readonly note?: string;
  /** Command lines that can be typed as they are. */
  readonly examples?: readonly string[];
  /** The input of the operation, where what is typed has other names. A password is asked for here. */
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
    print?: (
      result: ResultOf<Name>,
      flags: CommonFlags,
      administration: Administration,
    ) => void | Promise<void>;
  },
): CliCommand {
  const { input, print = printAnswer, ...rest } = definition;
  return command({
    name: commandName(operation),
    ...rest,
    operations: [operation],
    run: (typed, flags) =>
      withAdministration(flags, async (administration) => {
        const given = input === undefined ? (typed as unknown as InputOf<Name>) : await input(typed);
        await print(await administration.run(operation, given), flags, administration);
      }),
  });
}

type ListName = {
  [Name in OperationName]: ResultOf<Name> extends { data: unknown[]; next_cursor: string | null }
    ? Name
    : never;
}[OperationName];
type Item<Name extends ListName> = ResultOf<Name>['data'][number];
/** Another list of the same items. */
type SameList<Name extends ListName> = {
  [Other in ListName]: Item<Other> extends Item<Name> ? Other : never;
}[ListName];

/** How a list is printed; `wide` has all columns. */
const listForms = ['table', 'wide', 'json', 'csv'] as const;

const page = {
  limit: option('<number>', 'how many to show', { read: wholeNumber, default: LIST_LIMIT_DEFAULT }),
  all: flag('show all, however many there are'),
  output: option('<form>', 'table, wide (all columns), json or csv', {
    short: 'o',
    read: oneOf(listForms),
    default: 'table',
  }),
  csv: flag('the same as -o csv'),
};

/** A list: takes its filters, prints `columns` for people, and everything with -o wide, as JSON or CSV. */
export function listCommand<
  Name extends ListName,
  A extends Arguments = Record<never, never>,
  O extends Options = Record<never, never>,
  Computed extends string = never,
>(
  operation: Name,
  definition: Definition<Name, A, O> & {
    readonly columns: ReadonlyArray<(keyof Item<Name> & string) | NoInfer<Computed>>;
    /** Columns for people that are made of other fields. */
    readonly computed?: Readonly<Record<Computed, (item: Item<Name>) => unknown>>;
    /** The same list of all spaces, for operators: used where no --space is given. */
    readonly everywhere?: SameList<Name>;
    readonly empty: string;
    /** True if the operation answers the whole list at once. */
    readonly whole?: boolean;
  },
): CliCommand {
  const { input, columns, computed, everywhere, empty, whole = false, ...declared } = definition;
  const shown = (item: Item<Name> & Row): Row => ({
    ...item,
    ...Object.fromEntries(Object.entries<(item: Item<Name>) => unknown>(computed ?? {}).map(of(item))),
  });
  const own: Options = declared.options ?? {};
  const space = own.space === undefined ? {} : { space: own.space };
  return command({
    name: commandName(operation),
    ...declared,
    options: { ...space, ...filterOptions(operation), ...own, ...page },
    operations: everywhere === undefined ? [operation] : [operation, everywhere],
    async run(typed, flags) {
      const { limit, all, csv, output, ...rest } = typed as unknown as Values<typeof page>;
      const filters = fieldNames(rest) as Values<A> & Values<O>;
      const form = csv ? 'csv' : flags.json ? 'json' : output;
      const { items, more } = await withAdministration(flags, async (administration) => {
        const given = input === undefined ? (filters as unknown as InputOf<Name>) : await input(filters);
        const { space, ...elsewhere } = given as { space?: string };
        if (whole) return await readWhole(administration, operation, given, all ? null : limit);
        if (everywhere !== undefined && space === undefined)
          return await readPages(administration, everywhere, elsewhere as never, all ? null : limit);
        return await readPages(administration, operation, given, all ? null : limit);
      });
      if (form === 'csv') await printListCsv(operation, items);
      else if (form === 'json') printJson(items);
      else if (form === 'wide') printRows(items.map(shown), { empty, wide: true });
      else printRows(items.map(shown), { empty, columns, wideOption: '-o wide' });
      if (more && form !== 'csv' && form !== 'json')
        process.stderr.write('There are more: use --limit NUMBER or --all.\n');
    },
  });
}

/** A list without pages; the rest of it is left out here. */
async function readWhole<Name extends ListName>(
  administration: Administration,
  operation: Name,
  input: InputOf<Name>,
  limit: number | null,
): Promise<{ items: Array<Item<Name> & Row>; more: boolean }> {
  const { data } = await administration.run(operation, input);
  const items = data as Array<Item<Name> & Row>;
  return {
    items: limit === null ? items : items.slice(0, limit),
    more: items.length > (limit ?? items.length),
  };
}

const PAGE_ITEMS_MAX = 1_000;

/** Follows the cursor until `limit` items are read; null: all. */
export async function readPages<Name extends ListName>(
  administration: Administration,
  operation: Name,
  input: InputOf<Name>,
  limit: number | null,
): Promise<{ items: Array<Item<Name> & Row>; more: boolean }> {
  const items: Array<Item<Name> & Row> = [];
  let cursor: string | undefined;
  for (;;) {
    const left = limit === null ? PAGE_ITEMS_MAX : Math.min(limit - items.length, PAGE_ITEMS_MAX);
    const asked = { ...input, limit: left, ...(cursor !== undefined && { cursor }) };
    const { data, next_cursor } = await administration.run(operation, asked as InputOf<Name>);
    items.push(...(data as Array<Item<Name> & Row>));
    if (next_cursor === null) return { items, more: false };
    if (limit !== null && items.length >= limit) return { items, more: true };
    cursor = next_cursor;
  }
}

/** The columns of the API. Its shapes are loaded only now, so that other commands start fast. */
async function printListCsv(operation: OperationName, items: readonly Row[]): Promise<void> {
  const { adminEndpoints } = await import('../../contract/administration/admin-endpoints.ts');
  const { csvOf } = await import('../../contract/administration/csv.ts');
  process.stdout.write(csvOf(adminEndpoints[operation], { data: items }));
}

function of<Of>(item: Of) {
  return ([name, compute]: [string, (item: Of) => unknown]): [string, unknown] => [name, compute(item)];
}

/** `spaces.keepResponses` is `keep-responses`. */
export function commandName(operation: string): string {
  return operation
    .slice(operation.indexOf('.') + 1)
    .replaceAll('_', '-')
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function printAnswer(result: unknown, flags: CommonFlags): void {
  printFields(result as Row, flags);
}

/** The filters of a list as options of its command. */
function filterOptions(list: string): Record<string, CommandOption<unknown>> {
  const filters: Readonly<Record<string, ListFilter>> = Object.hasOwn(listFilters, list)
    ? listFilters[list as FilteredList]
    : {};
  return Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => {
      const { form, keeps, words } = filter;
      const text = `only ${keeps}${words === undefined ? '' : `: ${words.join(', ')}`}`;
      return [camel(name), option(`<${form}>`, text, { read: readerOf(filter) })];
    }),
  );
}

/** The names of fields: an option `--key-id` is the field `key_id`. */
function fieldNames(typed: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(typed).map(([name, value]) => [snake(name), value]));
}

const asTyped: Read<string> = (text) => text;

/** Checked here, so that errors name the option. */
function readerOf({ kind, words }: ListFilter): Read<unknown> {
  if (words !== undefined) return oneOf(words);
  if (kind === 'email') return email;
  return kind === 'time' ? time : asTyped;
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

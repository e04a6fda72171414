/**
 * The one way to declare a command: its name, arguments, options, help and what it does. Values are read before
 * `run` gets them, so that `run` works with numbers, times and amounts instead of words.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Command, Option } from 'commander';
import type { Flags } from '../app/settings.ts';
import type { OperationName } from '../contract/administration/admin-endpoints.ts';

/** The options of `tollgate` itself, which every command takes. */
export interface CommonFlags extends Flags {
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** The server to administer over HTTP. */
  readonly url?: string;
}

/** Reads what was typed; `label` is how errors call it: `--days` or `amount`. */
export interface Read<Value> {
  (text: string, label: string): Value;
  /** Words that shells complete. */
  readonly words?: readonly string[];
  /** A value as it is typed, for the default that help shows. */
  write?(value: Value): string;
}

/** `~value` exists only as a type: what `run` gets for it. */
export interface Argument<Value> {
  /** As in the usage line: `<name>`, or `[file]` if it may be left out. */
  readonly form: string;
  readonly help: string;
  readonly read: Read<unknown>;
  readonly '~value'?: Value;
}

export interface CommandOption<Value> {
  /** The placeholder of its value; null for a switch. */
  readonly form: string | null;
  readonly help: string;
  readonly short?: string;
  readonly default?: unknown;
  readonly required?: boolean;
  /** A switch that is on until `--no-…` turns it off. */
  readonly on?: boolean;
  readonly read: Read<unknown>;
  readonly '~value'?: Value;
}

type Declared = Record<string, { readonly '~value'?: unknown }>;
export type Values<Of extends Declared> = {
  [Name in keyof Of]: Of[Name] extends { readonly '~value'?: infer Value } ? Value : never;
};

export interface CliCommand {
  readonly name: string;
  readonly help: string;
  /** An old name: it works, but neither help nor completion shows it. */
  readonly hidden: boolean;
  /** What its group runs where none of its commands is typed. */
  readonly isDefault: boolean;
  /** The operations of administration that it runs. */
  readonly operations: readonly OperationName[];
  /** Command lines that can be typed as they are. */
  readonly examples: readonly string[];
  /** The commands of a group; empty for a command. */
  readonly commands: readonly CliCommand[];
  readonly options: readonly ShownOption[];
  /** The words that shells complete for each argument, in their order; null: none. */
  readonly argumentWords: ReadonlyArray<readonly string[] | null>;
  addTo(parent: Command, start: StartCommand): Command;
}

/** An option as help and completion show it. */
export interface ShownOption {
  readonly long: string;
  readonly short: string | null;
  readonly help: string;
  readonly takesValue: boolean;
  /** The words that shells complete; null: none. */
  readonly words: readonly string[] | null;
}

/** Runs a command whose values were read; a test can leave it out. */
export type StartCommand = (run: () => Promise<void> | void) => Promise<void> | void;

const asTyped: Read<string> = (text) => text;

export function argument(form: `<${string}>`, help: string): Argument<string>;
export function argument(form: `[${string}]`, help: string): Argument<string | undefined>;
export function argument<Value>(form: `<${string}>`, help: string, read: Read<Value>): Argument<Value>;
export function argument(form: string, help: string, read: Read<unknown> = asTyped): Argument<unknown> {
  return { form, help, read };
}

interface OptionSettings {
  readonly short?: string;
}

interface Given<Value> {
  readonly default: Value;
}

interface Required {
  readonly required: true;
}

interface Reads<Value> {
  readonly read: Read<Value>;
}

export function option<Value>(
  form: `<${string}>`,
  help: string,
  settings: OptionSettings & Reads<Value> & (Given<NoInfer<Value>> | Required),
): CommandOption<Value>;
export function option<Value>(
  form: `<${string}>`,
  help: string,
  settings: OptionSettings & Reads<Value>,
): CommandOption<Value | undefined>;
export function option(
  form: `<${string}>`,
  help: string,
  settings: OptionSettings & (Given<string> | Required),
): CommandOption<string>;
export function option(
  form: `<${string}>`,
  help: string,
  settings?: OptionSettings,
): CommandOption<string | undefined>;
export function option(
  form: string,
  help: string,
  settings: OptionSettings & Partial<Reads<unknown> & Given<unknown> & Required> = {},
): CommandOption<unknown> {
  return { form, help, ...settings, read: settings.read ?? asTyped };
}

/** An option without a value. */
export function flag(help: string, settings: { short?: string } = {}): CommandOption<boolean> {
  return { form: null, help, ...settings, read: asTyped };
}

/** An option that is on by default: `estimate` is turned off by `--no-estimate`. */
export function flagOn(help: string): CommandOption<boolean> {
  return { form: null, help, on: true, read: asTyped };
}

export function command<
  Arguments extends Record<string, Argument<unknown>> = Record<never, never>,
  Options extends Record<string, CommandOption<unknown>> = Record<never, never>,
>(definition: {
  name: string;
  help: string;
  arguments?: Arguments;
  options?: Options;
  /** What else its help says, such as the environment variables it needs. */
  note?: string;
  /** Command lines that can be typed as they are; `main.test.ts` requires one of every command. */
  examples?: readonly string[];
  operations?: readonly OperationName[];
  run: (input: Values<Arguments> & Values<Options>, flags: CommonFlags) => Promise<void> | void;
}): CliCommand {
  const { name, help, note, examples = [], run } = definition;
  const positions = Object.entries<Argument<unknown>>(definition.arguments ?? {});
  const options = Object.entries<CommandOption<unknown>>(definition.options ?? {});
  return {
    name,
    help,
    hidden: false,
    isDefault: false,
    examples,
    operations: definition.operations ?? [],
    commands: [],
    options: options.map(shownOption),
    argumentWords: positions.map(([, { read }]) => read.words ?? null),
    addTo(parent, start) {
      const made = parent.command(this.name, registration(this)).description(help);
      for (const [, { form, help: words }] of positions) made.argument(form, words);
      for (const [key, settings] of options) made.addOption(commanderOption(key, settings));
      if (note !== undefined) made.addHelpText('after', `\n${note}`);
      addExamples(made, examples);
      return made.action(async () => {
        const typed: Record<string, unknown> = made.optsWithGlobals();
        const input: Record<string, unknown> = {};
        for (const [i, [key, { form, read }]] of positions.entries()) {
          const text: string | undefined = made.args[i];
          input[key] = text === undefined ? undefined : read(text, argumentLabel(key, form));
        }
        for (const [key, settings] of options) input[key] = optionValue(typed[key], key, settings);
        await start(() => run(input as Values<Arguments> & Values<Options>, typed as CommonFlags));
      });
    },
  };
}

const GROUP_EXAMPLES_MAX = 3;

/** Commands under one name: `tollgate keys …`. A record gives its help headings. */
export function group(definition: {
  name: string;
  help: string;
  commands: readonly CliCommand[] | Readonly<Record<string, readonly CliCommand[]>>;
}): CliCommand {
  const { name, help } = definition;
  const parts: ReadonlyArray<readonly [heading: string | null, commands: readonly CliCommand[]]> = isList(
    definition.commands,
  )
    ? [[null, definition.commands]]
    : Object.entries(definition.commands);
  const commands = parts.flatMap(([, part]) => part);
  const examples = commands.flatMap((one) => one.examples.slice(0, 1)).slice(0, GROUP_EXAMPLES_MAX);
  return {
    name,
    help,
    hidden: false,
    isDefault: false,
    examples,
    operations: commands.flatMap(({ operations }) => operations),
    commands,
    options: commands.find(({ isDefault }) => isDefault)?.options ?? [],
    argumentWords: [],
    addTo(parent, start) {
      const made = parent.command(this.name, registration(this)).description(help);
      if (parts.length > 1) made.commandsGroup('Help:');
      for (const [heading, part] of parts) {
        const children = part.map((one) => one.addTo(made, start));
        if (heading !== null) for (const child of children) child.helpGroup(heading);
      }
      addExamples(made, examples);
      return made;
    },
  };
}

/** The command that its group runs by default: `tollgate audit` is `tollgate audit list`. */
export function byDefault(command: CliCommand): CliCommand {
  return { ...command, isDefault: true };
}

/** The same command under a name that it had before. */
export function formerly(name: string, command: CliCommand): CliCommand {
  return { ...command, name, hidden: true };
}

function registration({ hidden, isDefault }: CliCommand): { hidden: boolean; isDefault: boolean } {
  return { hidden, isDefault };
}

function isList<Item>(value: readonly Item[] | object): value is readonly Item[] {
  return Array.isArray(value);
}

function addExamples(made: Command, examples: readonly string[]): void {
  if (examples.length === 0) return;
  made.addHelpText('after', `\nExamples:\n${examples.map((one) => `  ${one}`).join('\n')}`);
}

function shownOption([key, settings]: [string, CommandOption<unknown>]): ShownOption {
  const { form, help, short, on = false, read } = settings;
  return {
    long: `--${on ? 'no-' : ''}${kebab(key)}`,
    short: short === undefined ? null : `-${short}`,
    help,
    takesValue: form !== null,
    words: read.words ?? null,
  };
}

function commanderOption(key: string, settings: CommandOption<unknown>): Option {
  const { form, help, required = false } = settings;
  const { long, short } = shownOption([key, settings]);
  const flags = `${short === null ? '' : `${short}, `}${long}${form === null ? '' : ` ${form}`}`;
  const made = new Option(flags, help);
  if (settings.default !== undefined) {
    const typed = settings.read.write?.(settings.default) ?? String(settings.default);
    // Nobody types a default, so nothing else would notice that it is read as something else.
    if (!isDeepStrictEqual(settings.read(typed, long), settings.default))
      throw new Error(`the default of ${long} is written as ${typed}, which is read as something else`);
    made.default(typed, typed);
  }
  return made.makeOptionMandatory(required);
}

function optionValue(typed: unknown, key: string, { form, read }: CommandOption<unknown>): unknown {
  if (form === null) return typed === true;
  return typeof typed === 'string' ? read(typed, `--${kebab(key)}`) : undefined;
}

/** `<date>` is called date; `<on|off>` names no argument, so its field does. */
function argumentLabel(key: string, form: string): string {
  return form.includes('|') ? key : form.slice(1, -1);
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

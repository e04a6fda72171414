/** What can be typed after each command, taken from the command table. Pure. */
import type { CliCommand, ShownOption } from '../command.ts';
import { globalOptions } from '../global-options.ts';

/** One command or group, by what was typed before: `keys create`. */
export interface CompletionNode {
  /** Empty for `tollgate` itself. */
  readonly path: string;
  readonly commands: ReadonlyArray<{ readonly name: string; readonly help: string }>;
  readonly options: readonly ShownOption[];
  /** The words of each argument, in their order; null: a file or any text. */
  readonly argumentWords: ReadonlyArray<readonly string[] | null>;
}

const everywhere: readonly ShownOption[] = [...globalOptions, ['--help', 'show the help'] as const].map(
  ([flags, help]) => {
    const [long = '', value] = flags.split(' ');
    return { long, short: null, help, takesValue: value !== undefined, words: null };
  },
);

/** Every command and group, `tollgate` itself first. The options of `tollgate` are part of each. */
export function completionNodes(commands: readonly CliCommand[]): CompletionNode[] {
  return [
    { path: '', commands: named(commands), options: everywhere, argumentWords: [] },
    ...nodesBelow(commands, ''),
  ];
}

function nodesBelow(commands: readonly CliCommand[], above: string): CompletionNode[] {
  return commands
    .filter(({ hidden }) => !hidden)
    .flatMap((one) => {
      const path = above === '' ? one.name : `${above} ${one.name}`;
      const node = {
        path,
        commands: named(one.commands),
        options: [...one.options, ...everywhere],
        argumentWords: one.argumentWords,
      };
      return [node, ...nodesBelow(one.commands, path)];
    });
}

function named(commands: readonly CliCommand[]): Array<{ name: string; help: string }> {
  return commands.filter(({ hidden }) => !hidden).map(({ name, help }) => ({ name, help }));
}

/** The flags of an option as they are typed. */
export function flagsOf({ long, short }: ShownOption): string[] {
  return short === null ? [long] : [long, short];
}

/** Safe inside single quotes of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

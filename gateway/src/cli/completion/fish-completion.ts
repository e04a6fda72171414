/** The completion script for fish. Pure. */
import { type CompletionNode, quoted } from './completion-tree.ts';

export function fishCompletion(nodes: readonly CompletionNode[]): string {
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const valued = new Set(
    nodes.flatMap(({ options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .flatMap(({ long, short }) => [long, ...(short ? [short] : [])]),
    ),
  );
  return `# Completion of tollgate for fish. Load it with: tollgate completion fish | source
function __tollgate_at
    set -l at ''
    set -l place 0
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${[...valued].map(quoted).join(' ')}
                set skip 1
                continue
            case '-*'
                continue
        end
        set -l next (string trim -- "$at $word")
        if contains -- $next ${paths.join(' ')}
            set at $next
            set place 0
        else
            set place (math $place + 1)
        end
    end
    test "$at" = "$argv[1]"; or return 1
    test (count $argv) -lt 2; or test $place = $argv[2]
end
complete -c tollgate -e
${nodes.map(lines).join('\n')}
`;
}

function lines({ path, commands, options, argumentWords }: CompletionNode): string {
  const at = (rest = ''): string => `-n ${quoted(`__tollgate_at ${quoted(path)}${rest}`)}`;
  return [
    ...commands.map(({ name, help }) => `complete -c tollgate -f ${at(' 0')} -a ${name} -d ${quoted(help)}`),
    ...options.map(({ long, short, help, takesValue, words }) => {
      const flags = `-l ${long.slice(2)}${short === null ? '' : ` -s ${short.slice(1)}`}`;
      const values = words === null ? ' -r' : ` -xa ${quoted(words.join(' '))}`;
      return `complete -c tollgate ${at()} ${flags}${takesValue ? values : ' -f'} -d ${quoted(help)}`;
    }),
    ...argumentWords.flatMap((words, i) =>
      words === null ? [] : [`complete -c tollgate -f ${at(` ${i}`)} -a ${quoted(words.join(' '))}`],
    ),
  ].join('\n');
}

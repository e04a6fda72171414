/** The completion script for bash. It needs nothing but bash itself. Pure. */
import type { ShownOption } from '../command.ts';
import { type CompletionNode, flagsOf } from './completion-tree.ts';

export function bashCompletion(nodes: readonly CompletionNode[]): string {
  const valued = new Set(nodes.flatMap(({ options }) => options.filter(takesValue).flatMap(flagsOf)));
  return `# Completion of tollgate for bash. Load it with: source <(tollgate completion bash)
_tollgate() {
  local cur prev word path='' place=0 skip=0 i words='' values='' options=''
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if ((skip)); then skip=0; continue; fi
    case "$word" in
      ${[...valued].join('|')}) skip=1; continue ;;
      -*) continue ;;
    esac
    case "\${path:+$path }$word" in
      ${nodes
        .filter(({ path }) => path !== '')
        .map(({ path }) => `"${path}"`)
        .join('|')}) path="\${path:+$path }$word"; place=0 ;;
      *) place=$((place + 1)) ;;
    esac
  done
  case "$path" in
${nodes.map(branch).join('\n')}
  esac
  if ((skip)); then
    case "$path $prev" in
${nodes.flatMap(valueBranches).join('\n')}
    esac
    if [[ -n "$values" ]]; then COMPREPLY=($(compgen -W "$values" -- "$cur")); else COMPREPLY=($(compgen -f -- "$cur")); fi
  elif [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ -n "$words" ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -o filenames -F _tollgate tollgate
`;
}

function takesValue({ takesValue: takes }: ShownOption): boolean {
  return takes;
}

/** Sets what can follow: commands, or the words of the argument in this place, and options. */
function branch({ path, commands, options, argumentWords }: CompletionNode): string {
  const names = commands.map(({ name }) => name).join(' ');
  const places = argumentWords
    .map((words, i) => (words === null ? '' : `${i}) words='${words.join(' ')}' ;; `))
    .join('');
  const words = names === '' && places !== '' ? ` case $place in ${places}esac;` : ` words='${names}';`;
  return `    "${path}")${words} options='${options.flatMap(flagsOf).join(' ')}' ;;`;
}

function valueBranches({ path, options }: CompletionNode): string[] {
  return options.flatMap((option) => {
    if (option.words === null) return [];
    const patterns = flagsOf(option).map((flag) => `"${path} ${flag}"`);
    return [`      ${patterns.join('|')}) values='${option.words.join(' ')}' ;;`];
  });
}

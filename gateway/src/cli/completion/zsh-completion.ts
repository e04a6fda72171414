/** The completion script for zsh. Pure. */
import { type CompletionNode, flagsOf, quoted } from './completion-tree.ts';

export function zshCompletion(nodes: readonly CompletionNode[]): string {
  const valued = new Set(
    nodes.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue).flatMap(flagsOf)),
  );
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `#compdef tollgate
# Completion of tollgate for zsh. Load it with: source <(tollgate completion zsh)
_tollgate() {
  local at='' word prev skip=0 place=0 i
  local -a tollgate_commands tollgate_options tollgate_values
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if ((skip)); then skip=0; continue; fi
    case "$word" in
      ${[...valued].join('|')}) skip=1; continue ;;
      -*) continue ;;
    esac
    case "\${at:+$at }$word" in
      ${paths.join('|')}) at="\${at:+$at }$word"; place=0 ;;
      *) place=$((place + 1)) ;;
    esac
  done
  prev="\${words[CURRENT-1]}"
  case "$at" in
${nodes.map(branch).join('\n')}
  esac
  if ((skip)); then
    case "$at $prev" in
${nodes.flatMap(valueBranches).join('\n')}
    esac
    if ((\${#tollgate_values})); then compadd -a tollgate_values; else _files; fi
  elif [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o 'option' tollgate_options
  elif ((\${#tollgate_commands})); then
    _describe 'command' tollgate_commands
  elif ((\${#tollgate_values})); then
    compadd -a tollgate_values
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _tollgate ]]; then _tollgate "$@"; else compdef _tollgate tollgate; fi
`;
}

function branch({ path, commands, options, argumentWords }: CompletionNode): string {
  const names = commands.map(({ name, help }) => described(name, help)).join(' ');
  const flags = options
    .flatMap((option) => flagsOf(option).map((flag) => described(flag, option.help)))
    .join(' ');
  const places = argumentWords
    .map((words, i) => (words === null ? '' : `${i}) tollgate_values=(${words.join(' ')}) ;; `))
    .join('');
  const choice = places === '' ? '' : ` case $place in ${places}esac;`;
  return `    ${quoted(path)}) tollgate_commands=(${names});${choice} tollgate_options=(${flags}) ;;`;
}

function valueBranches({ path, options }: CompletionNode): string[] {
  return options.flatMap((option) => {
    if (option.words === null) return [];
    const patterns = flagsOf(option).map((flag) => quoted(`${path} ${flag}`));
    return [`      ${patterns.join('|')}) tollgate_values=(${option.words.join(' ')}) ;;`];
  });
}

/** A colon separates the word from its description. */
function described(word: string, help: string): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${help}`);
}

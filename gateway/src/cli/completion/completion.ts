/** `completion`: a script that lets a shell complete commands, options and values. */
import { argument, type CliCommand, command } from '../command.ts';
import { oneOf } from '../words.ts';
import { bashCompletion } from './bash-completion.ts';
import { completionNodes } from './completion-tree.ts';
import { fishCompletion } from './fish-completion.ts';
import { zshCompletion } from './zsh-completion.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** `commands`: all commands there are, of which this one is a part. */
export function completionCommand(commands: () => Promise<readonly CliCommand[]>): CliCommand {
  return command({
    name: 'completion',
    help: 'print a script that completes commands and options in your shell',
    examples: ['source <(tollgate completion bash)', 'tollgate completion fish | source'],
    arguments: { shell: argument('<bash|zsh|fish>', 'your shell', oneOf(['bash', 'zsh', 'fish'])) },
    note: 'To load it in every shell, add the line of the example to ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.',
    async run({ shell }) {
      process.stdout.write(scripts[shell](completionNodes(await commands())));
    },
  });
}

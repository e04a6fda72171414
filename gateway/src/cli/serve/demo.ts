/** `demo`: the demo that `serve` runs without a configuration. */
import { command, flag, group } from '../command.ts';
import { printFields } from '../print.ts';
import { readInstallation } from '../read-installation.ts';

const reset = command({
  name: 'reset',
  help: 'remove everything in the demo; the next start creates a new one with new data and new keys',
  note:
    'It works on the demo in the data folder (--data, TOLLGATE_DATA, ./data), while no server runs on it. An\n' +
    'installation with a tollgate.yaml is never changed.',
  examples: ['tollgate demo reset', 'tollgate demo reset --empty'],
  options: { empty: flag('the new demo has no invented usage, keys and members') },
  async run({ empty }, flags) {
    const { settings } = await readInstallation(flags);
    const { checkIsDemo, clearDemoFolder } = await import('../../app/demo-folder.ts');
    checkIsDemo(settings);
    clearDemoFolder(settings.dataFolder, { empty });
    printFields({ removed: settings.dataFolder, next_demo: empty ? 'empty' : 'with data' }, flags);
    if (!flags.json) process.stdout.write('Next: tollgate serve\n');
  },
});

export const demoCommands = group({
  name: 'demo',
  help: 'start the demo over',
  commands: [reset],
});

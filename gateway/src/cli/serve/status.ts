/** `status`: what is running on this data folder. */
import { administer } from '../admin/administer.ts';
import { type CommonFlags, command } from '../command.ts';
import { printJson } from '../print.ts';
import { dataFolderOf, runningServer } from '../running-server.ts';
import { welcomeText } from './welcome.ts';

export const statusCommand = command({
  name: 'status',
  help: 'show the server that runs on this data folder, with secrets masked; exits with 1 if there is none',
  examples: ['tollgate status'],
  async run(_, flags) {
    const status = await runningServer(flags);
    if (status !== null) {
      const keys = await keyHints(flags);
      if (flags.json) printJson({ ...status, keys });
      else process.stdout.write(welcomeText(status, { ...keys, shown: false, signIn: null }));
      return;
    }
    const dataFolder = dataFolderOf(flags);
    process.exitCode = 1;
    if (flags.json) printJson({ state: 'stopped', dataFolder });
    else {
      const start = 'Start it with "npm start" or "tollgate serve".';
      process.stdout.write(`No server is running on ${dataFolder}. ${start}\n`);
    }
  },
});

/** Of the only space; with several there is no key to suggest. */
async function keyHints(flags: CommonFlags): Promise<{ gateway: string | null; management: string | null }> {
  const [only, another] = (await administer('spaces.list', {}, flags)).data;
  if (only === undefined || another !== undefined) return { gateway: null, management: null };
  const { data: keys } = await administer('keys.list', { space: only.name }, flags);
  const hint = (management: boolean): string | null =>
    keys.find((key) => (key.kind === 'management') === management)?.hint ?? null;
  return { gateway: hint(false), management: hint(true) };
}

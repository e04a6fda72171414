import type { Command } from 'commander';
import { askServer } from '../app/admin-socket.ts';
import type { ServerStatus } from '../app/serve.ts';
import { administer, dataFolderOf, flagsOf } from './administer.ts';
import { printJson, type Row } from './print.ts';
import { welcomeText } from './welcome.ts';

export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('tell what is running on this data folder, with secrets masked')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf(command);
      const dataFolder = dataFolderOf(flags);
      const answered = await askServer(dataFolder, { command: 'status', args: {} });
      if (answered === null) {
        if (flags.json) printJson({ state: 'stopped', dataFolder });
        else
          process.stdout.write(
            `Nothing is running on ${dataFolder}. Start it with "npm start" or "tollgate serve".\n`,
          );
        process.exitCode = 1;
        return;
      }
      const status = answered.result as ServerStatus;
      const keys = await keyHints(flags);
      if (flags.json) printJson({ ...status, keys });
      else process.stdout.write(welcomeText(status, { ...keys, shown: false, signIn: null }));
    });
}

async function keyHints(flags: {
  data?: string;
  config?: string;
}): Promise<{ gateway: string | null; management: string | null }> {
  const [only, another] = await administer<Row[]>('spaces.list', {}, flags);
  if (only === undefined || another !== undefined) return { gateway: null, management: null };
  const keys = await administer<Row[]>('keys.list', { space: String(only.name) }, flags);
  const hint = (management: boolean): string | null =>
    String(keys.find((key) => (key.kind === 'management') === management)?.key ?? '') || null;
  return { gateway: hint(false), management: hint(true) };
}

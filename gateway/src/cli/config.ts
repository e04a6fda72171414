import type { Command } from 'commander';
import { flagsOf } from './administer.ts';
import { printFields } from './print.ts';
import { readInstallation } from './read-installation.ts';

export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('the configuration file');
  config
    .command('check [file]')
    .description('read the file as "serve" would and say what is wrong with it')
    .action(async (file: string | undefined, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      const installation = await readInstallation(file === undefined ? flags : { ...flags, config: file });
      const { catalog, settings } = installation;
      const unpriced = [...catalog.models.values()].filter((model) => model.price === null);
      const summary = {
        file: installation.file,
        valid: true,
        listens: `${settings.host}:${settings.port}`,
        database: settings.databaseUrl === null ? `embedded in ${settings.dataFolder}` : 'PostgreSQL',
        providers: catalog.providers.map((provider) => provider.name).join(' '),
        models: catalog.models.size,
        unpriced: unpriced.map((model) => model.code).join(' ') || null,
        price_version: catalog.priceSheet.version,
      };
      printFields(summary, { json: flags.json ?? false });
    });
}

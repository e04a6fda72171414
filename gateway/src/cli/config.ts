import type { Command } from 'commander';
import { readConfig } from '../app/catalog-source.ts';
import { findConfig, readSettings } from '../app/settings.ts';
import { readCatalog } from '../catalog/read-catalog.ts';
import { flagsOf } from './administer.ts';
import { withSimulator } from './models.ts';
import { printFields } from './print.ts';

export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('the configuration file');
  config
    .command('check [file]')
    .description('read the file as "serve" would and say what is wrong with it')
    .action((file: string | undefined, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      const found = findConfig(file === undefined ? flags : { ...flags, config: file }, process.env);
      const { content, updatedAt } = readConfig(found.file, withSimulator(found.demo));
      const catalog = readCatalog(content, updatedAt);
      const settings = readSettings(flags, process.env, { ...found, content });
      const summary = {
        file: found.file,
        valid: true,
        listens: `${settings.host}:${settings.port}`,
        database: settings.databaseUrl === null ? `embedded in ${settings.dataFolder}` : 'PostgreSQL',
        providers: catalog.providers.map((provider) => provider.name).join(' '),
        models: catalog.models.size,
        unpriced:
          [...catalog.models.values()]
            .filter((model) => model.price === null)
            .map((model) => model.code)
            .join(' ') || null,
        price_version: catalog.priceSheet.version,
      };
      printFields(summary, { json: flags.json ?? false });
    });
}

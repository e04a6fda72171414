/** `config`: the configuration file. */
import { argument, command, group } from '../command.ts';
import { printFields } from '../print.ts';
import { readInstallation } from '../read-installation.ts';

const check = command({
  name: 'check',
  help: 'read the configuration as "serve" would, and report what is wrong with it',
  examples: ['tollgate config check', 'tollgate config check staging.yaml'],
  arguments: { file: argument('[file]', 'the configuration file (default: that of --config)') },
  async run({ file }, flags) {
    const installation = await readInstallation(file === undefined ? flags : { ...flags, config: file });
    const { catalog, settings } = installation;
    const { password, issuers } = settings.signIn;
    const unpriced = [...catalog.models.values()].filter((model) => model.prices.length === 0);
    const summary = {
      file: installation.file,
      valid: true,
      listens: `${settings.host}:${settings.port}`,
      database: settings.databaseUrl === null ? `embedded in ${settings.dataFolder}` : 'PostgreSQL',
      sign_in: [...(password ? ['password'] : []), ...issuers.map(({ name }) => name)].join(' '),
      providers: catalog.providers.map((provider) => provider.name).join(' '),
      models: catalog.models.size,
      unpriced: unpriced.map((model) => model.code).join(' ') || null,
      price_version: catalog.priceSheet.version,
    };
    printFields(summary, flags);
  },
});

export const configCommands = group({
  name: 'config',
  help: 'check the configuration file',
  commands: [check],
});

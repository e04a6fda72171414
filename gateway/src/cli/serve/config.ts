/** `config`: the configuration file. */

import { systemClock } from '../../kernel/time.ts';
import type { ConfigError, ConfigProblem } from '../../yaml/config-error.ts';
import { argument, command, flag, group } from '../command.ts';
import { printFields, printJson } from '../print.ts';
import { type Installation, readInstallation } from '../read-installation.ts';
import { endWithFindings, printFindings } from './print-findings.ts';

const check = command({
  name: 'check',
  help: 'read the configuration as "serve" would, and report everything that is wrong with it',
  examples: ['tollgate config check', 'tollgate config check staging.yaml', 'tollgate config check --live'],
  arguments: { file: argument('[file]', 'the configuration file (default: that of --config)') },
  options: { live: flag('also ask the providers, the database, the bucket and Redis, as "doctor" does') },
  async run({ file, live }, flags) {
    const given = file === undefined ? flags : { ...flags, config: file };
    let installation: Installation;
    let asked = true;
    try {
      installation = await readInstallation(given);
      // With --live it is one of the findings.
      if (!live) asked = await checkNames(installation);
    } catch (error) {
      const { name, problems } = error as ConfigError;
      if (!flags.json || name !== 'ConfigError') throw error;
      printJson({ valid: false, errors: problems });
      process.exitCode = 1;
      return;
    }
    if (!live) {
      printFields(summaryOf(installation), flags);
      if (!asked) endWithFindings([]);
      return;
    }
    const { examine } = await import('../../app/doctor/examine.ts');
    const findings = await examine(installation, systemClock);
    if (flags.json) printJson({ ...summaryOf(installation), findings });
    else {
      printFields(summaryOf(installation), flags);
      process.stdout.write('\n');
      printFindings(findings);
    }
    endWithFindings(findings);
  },
});

/** Throws if markup names a space or key that does not exist. False: the database gave no answer, which it says. */
async function checkNames(installation: Installation): Promise<boolean> {
  const { findUnknownCallers } = await import('../../app/doctor/check-markup-names.ts');
  const { bounded } = await import('../../app/doctor/finding.ts');
  const { ConfigError } = await import('../../yaml/config-error.ts');
  let found: readonly ConfigProblem[] = [];
  const [unanswered] = await bounded('markup', { clock: systemClock, next: '' }, async () => {
    found = await findUnknownCallers(installation, systemClock);
    return [];
  });
  if (unanswered !== undefined)
    process.stderr.write(
      `The spaces and keys in prices.markup were not compared with those of the installation: ${unanswered.detail}\n`,
    );
  if (found.length > 0) throw ConfigError.all(found, installation.file);
  return unanswered === undefined;
}

function summaryOf({ file, catalog, settings }: Installation) {
  const { password, issuers } = settings.signIn;
  const unpriced = [...catalog.models.values()].filter((model) => model.prices.length === 0);
  return {
    file,
    valid: true,
    listens: `${settings.host}:${settings.port}`,
    database: settings.databaseUrl === null ? `embedded in ${settings.dataFolder}` : 'PostgreSQL',
    sign_in: [...(password ? ['password'] : []), ...issuers.map(({ name }) => name)].join(' '),
    providers: catalog.providers.map((provider) => provider.name).join(' '),
    models: catalog.models.size,
    unpriced: unpriced.map((model) => model.code).join(' ') || null,
    price_version: catalog.priceSheet.version,
  };
}

const schema = command({
  name: 'schema',
  help: 'print the JSON Schema of the configuration file, for editors',
  examples: ['tollgate config schema', 'tollgate config schema > tollgate.schema.json'],
  async run() {
    const { configSchema } = await import('../../config/config-schema.ts');
    process.stdout.write(`${JSON.stringify(configSchema(), null, 2)}\n`);
  },
});

export const configCommands = group({
  name: 'config',
  help: 'check the configuration file, and print its schema',
  commands: [check, schema],
});

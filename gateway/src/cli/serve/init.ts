/** `init`: a configuration file to start from. */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SettingsError } from '../../app/settings.ts';
import { command, flag } from '../command.ts';
import { printFields } from '../print.ts';

/** Beside the configuration, so that editors find it on every machine and without a network. */
const SCHEMA_FILE = 'tollgate.schema.json';

/** Every line of it is meant to be edited. */
export const TEMPLATE = `# yaml-language-server: $schema=${SCHEMA_FILE}
# Tollgate configuration. \${VAR} and \${VAR:-default} are replaced from the environment or from .env beside this
# file, \${file:PATH} by the content of a file. docs/configuration.md lists every key.
# Check it with "tollgate config check". A running server applies changes of providers, models and
# prices by itself (or on SIGHUP), and keeps using the old file if the new one is not valid.

server:
  host: 127.0.0.1
  port: 8080

# Without a url the embedded database in ./data is used: one process, no power-loss guarantee.
# database:
#   url: \${DATABASE_URL}

# With Redis or Valkey, per-minute limits are exact across several processes; see docs/scaling.md.
# redis:
#   url: \${REDIS_URL}

providers:
  openai:
    dialect: openai
    base_url: https://api.openai.com/v1
    api_key: \${OPENAI_API_KEY:-}

models:
  gpt-5-mini:
    capabilities: [vision, tools, json_mode, json_schema, streaming]
    routes:
      - { provider: openai, model: gpt-5-mini }

# Units per million tokens. A version cannot change once it is used: give new prices a new version.
prices:
  version: "1"
  models:
    gpt-5-mini: { input: 0.25, cached_input: 0.025, output: 2 }
`;

export const initCommand = command({
  name: 'init',
  help: 'write a tollgate.yaml to start from, and its schema for editors',
  examples: ['tollgate init', 'tollgate init --config staging.yaml'],
  options: { force: flag('replace an existing file') },
  async run({ force }, flags) {
    const file = resolve(flags.config ?? 'tollgate.yaml');
    if (existsSync(file) && !force) {
      throw new SettingsError(`${file} already exists; edit it, or replace it with --force.`);
    }
    const { configSchema } = await import('../../config/config-schema.ts');
    const schema = join(dirname(file), SCHEMA_FILE);
    writeFileSync(file, TEMPLATE);
    writeFileSync(schema, `${JSON.stringify(configSchema(), null, 2)}\n`);
    printFields({ written: file, schema }, flags);
    if (!flags.json) {
      process.stdout.write(
        'Next: edit the file, then run "tollgate config check" and "tollgate serve".\n' +
          'On a terminal, "serve" prints a link with which you become the first operator.\n',
      );
    }
  },
});

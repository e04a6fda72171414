import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { SettingsError } from '../app/settings.ts';
import { flagsOf } from './administer.ts';
import { printFields } from './print.ts';

/** A file to start a real installation from; every line of it is meant to be edited. */
const TEMPLATE = `# Tollgate configuration. \${VAR} and \${VAR:-default} are taken from the environment.
# Check it with "tollgate config check"; a running server takes changes of providers, models and
# prices by itself (or on SIGHUP), and keeps the old file if the new one is not valid.

server:
  host: 127.0.0.1
  port: 8080

# Without a url the embedded database in ./data is used: one process, no power-loss guarantee.
# database:
#   url: \${DATABASE_URL}

# With a Redis or Valkey, limits a minute are exact over several processes; see docs/scaling.md.
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

# Units per million tokens. A version is frozen once used: give changed prices a new one.
prices:
  version: "1"
  models:
    gpt-5-mini: { input: 0.25, cached_input: 0.025, output: 2 }
`;

export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('write a tollgate.yaml to start from')
    .option('--force', 'replace a file that is already there')
    .action((_: unknown, command: Command) => {
      const flags = flagsOf<{ force?: boolean }>(command);
      const file = resolve(flags.config ?? 'tollgate.yaml');
      if (existsSync(file) && !flags.force) {
        throw new SettingsError(`${file} is already there; edit it, or replace it with --force.`);
      }
      writeFileSync(file, TEMPLATE);
      printFields({ written: file }, { json: flags.json ?? false });
      if (!flags.json) {
        process.stdout.write(
          'Next: tollgate config check, tollgate serve, then\n' +
            '  tollgate spaces create NAME, tollgate grants add 100, tollgate keys create NAME\n',
        );
      }
    });
}

/** Writes the documents that are made from the code. Run it after a change of an endpoint or of the configuration. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { configSchema } from '../src/config/config-schema.ts';
import { withAgents } from './describe-agents.ts';
import { withCommands } from './describe-commands.ts';
import { withConfiguration } from './describe-configuration.ts';
import { withFields } from './describe-fields.ts';
import { withReports } from './describe-organization.ts';
import { withRights } from './describe-rights.ts';
import { withRules } from './describe-rules.ts';
import { withTraits } from './describe-traits.ts';

const root = new URL('../../', import.meta.url);

async function rewrite(path: string, change: (document: string) => string | Promise<string>): Promise<void> {
  const file = new URL(path, root);
  writeFileSync(file, await change(readFileSync(file, 'utf8')));
}

await rewrite('docs/administration.md', (document) => withRules(withRights(document)));
await rewrite('docs/agents.md', withAgents);
await rewrite('docs/command-line.md', withCommands);
await rewrite('docs/configuration.md', withConfiguration);
await rewrite('docs/formats.md', withFields);
await rewrite('docs/model-traits.md', withTraits);
await rewrite('docs/organization-usage.md', withReports);
mkdirSync(new URL('deploy', root), { recursive: true });
writeFileSync(new URL('deploy/tollgate.schema.json', root), `${JSON.stringify(configSchema(), null, 2)}\n`);

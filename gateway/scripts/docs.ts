/** Writes the documents that are made from the code. Run it after a change of an endpoint or of the configuration. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { configSchema } from '../src/config/config-schema.ts';
import { withAgents } from './describe-agents.ts';
import { withConfiguration } from './describe-configuration.ts';
import { withFields } from './describe-fields.ts';
import { withRights } from './describe-rights.ts';
import { withRules } from './describe-rules.ts';
import { withTraits } from './describe-traits.ts';

const root = new URL('../../', import.meta.url);

function rewrite(path: string, change: (document: string) => string): void {
  const file = new URL(path, root);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

rewrite('docs/administration.md', (document) => withRules(withRights(document)));
rewrite('docs/agents.md', withAgents);
rewrite('docs/configuration.md', withConfiguration);
rewrite('docs/formats.md', withFields);
rewrite('docs/model-traits.md', withTraits);
mkdirSync(new URL('deploy', root), { recursive: true });
writeFileSync(new URL('deploy/tollgate.schema.json', root), `${JSON.stringify(configSchema(), null, 2)}\n`);

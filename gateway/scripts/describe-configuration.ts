/** The reference of the configuration, made from its schema and from the list of environment variables. */
import { type EnvironmentVariable, environmentVariables } from '../src/app/environment-variables.ts';
import { type ConfigKey, configKeys } from '../src/config/config-keys.ts';
import { replaceMarked } from './replace-marked.ts';

const MARKS = { keys: 'keys', variables: 'variables' } as const;

/** The document with the tables as the code has them. */
export function withConfiguration(document: string): string {
  const tables = { keys: keyTables(configKeys()), variables: variableTable(environmentVariables) };
  return Object.values(MARKS).reduce((text, mark) => replaceMarked(text, mark, tables[mark]), document);
}

/** One table for each section of the file. */
function keyTables(keys: readonly ConfigKey[]): string {
  const sections = Map.groupBy(keys, ({ path }) => path.split('.')[0] as string);
  return [...sections]
    .map(([section, [first, ...rest]]) => {
      const { type, required, since, meaning } = first as ConfigKey;
      const kind = `${type}, ${required ? 'required' : 'optional'}, since ${since}`;
      return `\n### ${section}\n\n\`${section}\` (${kind}): ${meaning}\n${keyTable(rest)}`;
    })
    .join('')
    .concat('\n');
}

function keyTable(keys: readonly ConfigKey[]): string {
  if (keys.length === 0) return '';
  const rows = keys.map((key) => {
    const fallback = key.required ? 'required' : (key.default ?? '');
    const example = key.example === null ? '' : code(key.example);
    return `| \`${key.path}\` | ${cell(key.type)} | ${cell(fallback)} | ${example} | ${key.since} | ${cell(key.meaning)} |\n`;
  });
  return `\n| key | type | default | example | since | meaning |\n|---|---|---|---|---|---|\n${rows.join('')}`;
}

function variableTable(variables: readonly EnvironmentVariable[]): string {
  const rows = variables.map(({ name, flag, replaces, meaning, since, ...rest }) => {
    const shown = (text: string | null): string => (text === null ? '' : code(text));
    return `| \`${name}\` | ${shown(flag)} | ${shown(replaces)} | ${cell(rest.default ?? '')} | ${since} | ${cell(meaning)} |\n`;
  });
  return `| variable | flag | replaces | default | since | meaning |\n|---|---|---|---|---|---|\n${rows.join('')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function code(text: string): string {
  return `\`${cell(text)}\``;
}

/** The table of rights in docs/administration.md, made from the endpoints. */
import type { AdminEndpoint } from '../src/contract/administration/admin-endpoint.ts';
import { adminEndpoints } from '../src/contract/administration/admin-endpoints.ts';
import { replaceMarked } from './replace-marked.ts';

export function withRights(document: string): string {
  const rows = Object.entries<AdminEndpoint>(adminEndpoints).map(([name, endpoint]) => {
    const { method, path, summary, csv } = endpoint;
    return `| \`${name}\` | \`${method} ${path}\` | ${rightOf(endpoint)} | ${summary}${csv ? ' CSV.' : ''} |\n`;
  });
  const head = '| operation | request | who | what it does |\n|---|---|---|---|\n';
  return replaceMarked(document, 'rights', `${head}${rows.join('')}`);
}

function rightOf({ right, byPerson }: AdminEndpoint): string {
  if (byPerson === undefined) return right;
  if (byPerson === true) return `${right}, not with a token`;
  const cases = Object.entries(byPerson).map(([field, value]) => `\`${field}: ${value}\``);
  return `${right}; ${cases.join(' and ')} not with a token`;
}

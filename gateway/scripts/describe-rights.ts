/** The table of rights in docs/administration.md, made from the endpoints. */
import type { AdminEndpoint } from '../src/contract/administration/admin-endpoint.ts';
import { adminEndpoints } from '../src/contract/administration/admin-endpoints.ts';

const BEGIN = '<!-- rights -->\n';
const END = '<!-- /rights -->';

/** The document with the table as the code has it. */
export function withRights(document: string): string {
  const [before, rest] = document.split(BEGIN) as [string, string | undefined];
  const after = rest?.slice(rest.indexOf(END));
  if (!after?.startsWith(END)) throw new Error(`The markers ${BEGIN.trim()} and ${END} are missing.`);
  return `${before}${BEGIN}${rightsTable()}${after}`;
}

function rightsTable(): string {
  const rows = Object.entries<AdminEndpoint>(adminEndpoints).map(([name, endpoint]) => {
    const { method, path, summary, csv } = endpoint;
    return `| \`${name}\` | \`${method} ${path}\` | ${rightOf(endpoint)} | ${summary}${csv ? ' CSV.' : ''} |\n`;
  });
  return `| operation | request | who | what it does |\n|---|---|---|---|\n${rows.join('')}`;
}

function rightOf({ right, byPerson }: AdminEndpoint): string {
  if (byPerson === undefined) return right;
  if (byPerson === true) return `${right}, not with a token`;
  const cases = Object.entries(byPerson).map(([field, value]) => `\`${field}: ${value}\``);
  return `${right}; ${cases.join(' and ')} not with a token`;
}

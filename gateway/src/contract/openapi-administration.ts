/** What the OpenAPI document derives for operations of administration: who may use them, pages, CSV and path parameters. */
import {
  type AdminEndpoint,
  IN_SPACE,
  isAdministration,
  type PathField,
  pathFields,
} from './administration/admin-endpoint.ts';
import { csvOf } from './administration/csv.ts';
import type { Endpoint } from './endpoint.ts';
import type { JsonSchema } from './openapi-schemas.ts';

/** Sentences that follow the description of an operation. */
export function administrationNotes(endpoint: Endpoint): string[] {
  if (!isAdministration(endpoint)) return [];
  const { query, csv } = endpoint;
  const notes = [whoMayUse(endpoint)];
  if (query?.properties.cursor !== undefined)
    notes.push('The answer is one page: send its `next_cursor` as `cursor` to get the next one.');
  if (csv) notes.push('With `format=csv` the same figures are answered as comma-separated values.');
  return [notes.join(' ')];
}

function whoMayUse({ right, path }: AdminEndpoint): string {
  if (right === 'operator') return 'Only operators of the installation may use it.';
  if (right === 'admin') return 'Only administrators of the space and operators may use it.';
  const inSpace = path.startsWith(IN_SPACE);
  return inSpace ? 'Every member of the space may use it.' : 'Everyone who is signed in may use it.';
}

/** What stands between the braces of a path. */
export function administrationPathField(endpoint: Endpoint, name: string): JsonSchema | null {
  return isAdministration(endpoint) ? { ...pathFields[name as PathField] } : null;
}

export function formatParameters(endpoint: Endpoint): JsonSchema[] {
  if (!isAdministration(endpoint) || !endpoint.csv) return [];
  const description = 'Whether the answer is JSON or comma-separated values. Default: json.';
  const schema = { type: 'string', enum: ['json', 'csv'] };
  return [{ name: 'format', in: 'query', required: false, description, schema }];
}

/** The answer as comma-separated values; null if there is none. `answer` is an example in JSON. */
export function csvContent(endpoint: Endpoint, answer: unknown): JsonSchema | null {
  if (!isAdministration(endpoint) || !endpoint.csv) return null;
  const schema = { type: 'string', description: 'A line of names, then one line per item.' };
  if (answer === undefined) return { schema };
  return { schema, examples: { csv: { summary: 'With `format=csv`', value: csvOf(endpoint, answer) } } };
}

/** Whether a body may be left out, because each of its fields may. */
export function mayLeaveOutBody(endpoint: Endpoint): boolean {
  return isAdministration(endpoint) && (endpoint.request?.required ?? []).length === 0;
}

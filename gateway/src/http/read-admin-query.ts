/** Reads the query of an operation of administration into the types of its schema. */
import type { TSchema } from 'typebox';
import type { AdminEndpoint } from '../contract/administration/admin-endpoint.ts';
import { Problem } from '../kernel/problem.ts';

export interface AdminQuery {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether comma-separated values were asked for. */
  readonly csv: boolean;
}

/** What it cannot convert it leaves as text: the schema rejects it with a sentence. */
export function readAdminQuery(url: string, { query, csv }: AdminEndpoint): AdminQuery {
  const at = url.indexOf('?');
  const sent = new URLSearchParams(at < 0 ? '' : url.slice(at));
  const known: Readonly<Record<string, TSchema>> = query?.properties ?? {};
  const names = [...Object.keys(known), ...(csv ? ['format'] : [])];
  const fields: Record<string, unknown> = {};
  for (const name of new Set(sent.keys())) {
    if (!names.includes(name)) throw unknownParameter(name, names);
    const values = sent.getAll(name);
    if (values.length > 1) throw invalid(name, 'must be sent once');
    if (name !== 'format' || !csv) fields[name] = convert(values[0] as string, known[name]);
  }
  return { fields, csv: readFormat(csv ? sent.get('format') : null) };
}

function readFormat(format: string | null): boolean {
  if (format === null || format === 'json') return false;
  if (format === 'csv') return true;
  throw invalid('format', 'must be json or csv');
}

function convert(text: string, schema: TSchema | undefined): unknown {
  const { type } = (schema ?? {}) as { type?: string };
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  return text;
}

function unknownParameter(name: string, known: readonly string[]): Problem {
  const use = known.length === 0 ? 'there are none' : `the parameters are: ${known.join(', ')}`;
  return invalid(name.slice(0, 80), `is not a known parameter; ${use}`);
}

function invalid(param: string, what: string): Problem {
  return new Problem('invalid_parameter', { detail: `${param} ${what}.`, param });
}

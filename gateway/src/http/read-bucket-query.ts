/**
 * Reads the query of a usage report in the form of OpenAI's API. Clients write lists in several ways: `group_by[]=a&group_by[]=b`,
 * `group_by=a&group_by=b`, `group_by[0]=a`, and fields and ids as `group_by=a,b`.
 */
import type { TSchema } from 'typebox';
import { Shape } from '../contract/check-shape.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { BucketQuery } from '../contract/organization/bucket-query.ts';
import { Problem } from '../kernel/problem.ts';

/** Their values contain no comma. */
const SPLIT = /_ids$|^group_by$/;

const shapes = new Map<TSchema, Shape<TSchema>>();

export function readBucketQuery(url: string, { query }: Pick<Endpoint, 'query'>): BucketQuery {
  if (query === undefined) throw new Error('an endpoint without a query');
  const at = url.indexOf('?');
  const fields: Record<string, unknown> = {};
  for (const [written, text] of new URLSearchParams(at < 0 ? '' : url.slice(at))) {
    const name = written.replace(/\[\d{0,3}\]$/, '');
    const { type } = knownField(query.properties, name);
    if (type === 'array') {
      const values = SPLIT.test(name) ? text.split(',') : [text];
      fields[name] = [...((fields[name] as string[] | undefined) ?? []), ...values];
      continue;
    }
    if (name in fields) throw invalid(name, 'must be sent once');
    fields[name] = convert(text, type);
  }
  if (!('start_time' in fields)) throw invalid('start_time', 'is required: the first second, as Unix time');
  const shape = shapes.get(query) ?? new Shape(query);
  shapes.set(query, shape);
  return shape.check(fields) as BucketQuery;
}

function knownField(properties: Readonly<Record<string, TSchema>>, name: string): { type?: string } {
  if (Object.hasOwn(properties, name)) return properties[name] as { type?: string };
  const known = Object.keys(properties).join(', ');
  throw invalid(name.slice(0, 80), `is not a parameter of this report; its parameters are: ${known}`);
}

/** What cannot be converted stays text, which the schema rejects with a sentence. */
function convert(text: string, type: string | undefined): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  return text;
}

function invalid(param: string, what: string): Problem {
  return new Problem('invalid_parameter', { detail: `${param} ${what}.`, param });
}

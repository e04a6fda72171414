/**
 * An example of every error code, with the text that the server sends. Most are provoked by a test. The document refers
 * to them from every endpoint that lists the code and has no example of its own.
 */
import type { ProblemCode } from '../../kernel/problem-codes.ts';
import { isAdministration } from '../administration/admin-endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { type EndpointName, endpoints } from '../endpoints.ts';
import { administrationErrorExample } from './administration/error-examples.ts';
import { docsOf } from './documentation.ts';
import file from './error-examples.json' with { type: 'json' };
import type { ErrorExample, SharedErrorExample } from './operation-docs.ts';
import { readData } from './read-data.ts';

type Examples = Readonly<Partial<Record<ProblemCode, ErrorExample>>>;

export const errorExamples = readData<{ errors: Examples }>(file).errors;

/** The example of a code at an endpoint: its own, that of its kind, or that of all endpoints. */
export function errorExampleOf(name: EndpointName, code: ProblemCode): SharedErrorExample | null {
  const endpoint: Endpoint = endpoints[name];
  const own = docsOf(name)?.docs.errors?.[code];
  if (own !== undefined) return { name: null, example: own };
  const ofKind = isAdministration(endpoint) ? administrationErrorExample(endpoint, code) : null;
  if (ofKind !== null) return ofKind;
  return commonErrorExample(code);
}

export function commonErrorExample(code: ProblemCode): SharedErrorExample | null {
  const example = errorExamples[code];
  return example === undefined ? null : { name: code, example };
}

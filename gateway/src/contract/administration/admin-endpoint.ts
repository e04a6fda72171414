/**
 * An endpoint of administration: an operation that people use in the console, on the command line and from programs.
 * Its input is one flat object; over HTTP the fields come from the path, the query and the body.
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { described } from '../schema.ts';
import { AliasName, Email, generatedId, Label, ProjectId, ProjectIds, SpaceRef } from './fields.ts';

/**
 * Who may use it: every member of the space (for their own things), its administrators, or the operators of the
 * installation. Operators may do everything in every space.
 */
export type Right = 'member' | 'admin' | 'operator';

export interface AdminEndpoint extends Endpoint {
  readonly credential: 'administration';
  readonly right: Right;
  readonly request?: TObject;
  readonly query?: TObject;
  /**
   * A token cannot do it: it could give itself more rights, or live longer than it should. With fields: only if one of
   * them has this value.
   */
  readonly byPerson?: true | Readonly<Record<string, unknown>>;
  /** The list in the answer, or this table, can be fetched as comma-separated values, with `format=csv`. */
  readonly csv?: true | CsvTable;
}

/** An answer as a table, where it is not a list. */
export interface CsvTable {
  columns(answer: unknown): readonly string[];
  rows(answer: unknown): ReadonlyArray<Readonly<Record<string, unknown>>>;
}

/** How an operation is reached, without its shapes. */
export interface AdminRoute {
  readonly method: Endpoint['method'];
  /** With the names of fields between braces. */
  readonly path: string;
  /** The fields that go into the query. */
  readonly query: readonly string[];
  readonly takesBody: boolean;
}

export function routeOf({ method, path, query, request }: AdminEndpoint): AdminRoute {
  return { method, path, query: Object.keys(query?.properties ?? {}), takesBody: request !== undefined };
}

export const ADMIN_BASE = '/api/console';
export const IN_SPACE = `${ADMIN_BASE}/spaces/{space}` as const;

/** The part that every declaration has; keeps the literal types of the path. A change is carried out once for a key. */
export function operation<
  const Method extends Endpoint['method'],
  const Path extends string,
  const Of extends Right,
>(method: Method, path: Path, right: Of) {
  const once: { readonly idempotent?: true } = changes({ method }) ? { idempotent: true } : {};
  return { method, path, credential: 'administration', right, ...once } as const;
}

function idOf(what: string, prefix: string) {
  return described(generatedId(prefix), `The id of ${what}, which begins with ${prefix}_.`);
}

/** What may stand in a path, by the name between its braces. */
export const pathFields = {
  space: SpaceRef,
  name: described(Label, 'The name of a key: 1 to 120 characters on one line.'),
  alias: AliasName,
  email: described(Email, 'The e-mail address of a person.'),
  project: ProjectId,
  ids: ProjectIds,
  workload: idOf('a rule for workloads', 'wkl'),
  subjects: idOf('given subjects', 'wks'),
  budget: described(Label, 'The name of a budget: 1 to 120 characters on one line, or its id.'),
  budget_request: idOf('a request for more of a budget', 'breq'),
  grant: idOf('a grant', 'grt'),
  request: idOf('a request', 'req'),
  batch: idOf('a batch', 'batch'),
  build: idOf('a build', 'bld'),
  job: idOf('a job', 'job'),
  invitation: idOf('an invitation', 'invite'),
  token: idOf('a token', 'token'),
  target: idOf('a target of alerts', 'target'),
  delivery: idOf('a delivery', 'dlv'),
  line: Type.String({
    pattern: '^[1-9][0-9]{0,14}$',
    description: 'The number of a line of the audit log.',
    examples: ['14'],
  }),
  ref: Type.String({
    pattern: '^[a-z]+_[0-9a-z]{1,64}$',
    description: 'The id of a request (x-request-id or error_ref) or of a job, such as req_….',
  }),
} as const;

export type PathField = keyof typeof pathFields;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name & PathField) | NamesIn<Rest>
  : never;

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : Record<never, never>;

/** The input of an operation: the fields of the path, the query and the body. */
export type AdminInput<Of extends AdminEndpoint> = {
  [Name in NamesIn<Of['path']>]: string;
} & StaticOf<Of['query']> &
  StaticOf<Of['request']>;

/** The names between the braces of a path. */
export function namesInPath(path: string): PathField[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as PathField);
}

/** The whole input of an operation as one schema. */
export function inputSchemaOf({ path, query, request }: AdminEndpoint): TObject {
  const fromPath = Object.fromEntries(namesInPath(path).map((name) => [name, pathFields[name]]));
  const properties: TProperties = { ...fromPath, ...query?.properties, ...request?.properties };
  return Type.Object(properties, { additionalProperties: false });
}

export function isAdministration(endpoint: Endpoint): endpoint is AdminEndpoint {
  return endpoint.credential === 'administration';
}

/** Whether a token cannot do this. */
export function needsPerson(
  { byPerson = {} }: Pick<AdminEndpoint, 'byPerson'>,
  input: Readonly<Record<string, unknown>>,
): boolean {
  return byPerson === true || Object.entries(byPerson).some(([field, value]) => input[field] === value);
}

/** Reading is a GET; everything else changes something. */
export function changes({ method }: Pick<Endpoint, 'method'>): boolean {
  return method !== 'GET';
}

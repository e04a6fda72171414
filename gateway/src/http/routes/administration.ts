/** Every operation of administration over HTTP: its input from the path, the query and the body, its answer as JSON or CSV. */
import type { Caller } from '../../access/actor.ts';
import { type AdminEndpoint, changes } from '../../contract/administration/admin-endpoint.ts';
import { adminEndpoints, type OperationName } from '../../contract/administration/admin-endpoints.ts';
import { csvOf } from '../../contract/administration/csv.ts';
import { Problem } from '../../kernel/problem.ts';
import type { HttpRoute } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { readAdminQuery } from '../read-admin-query.ts';
import { readOptionalJsonBody } from '../read-body.ts';
import { readIdempotencyKey } from '../read-idempotency-key.ts';

const BODY_LIMITS = { bytesMax: 64 * 1024, depthMax: 4, keysMax: 64, valuesMax: 512, arrivals: null };

export interface AdministrationOptions {
  readonly caller: (request: Exchange['request']) => Promise<Caller>;
  readonly run: (
    call: { name: OperationName; input: object; idempotencyKey: string | null } & Caller,
  ) => Promise<unknown>;
}

export function administrationRoutes(options: AdministrationOptions): HttpRoute[] {
  return Object.entries<AdminEndpoint>(adminEndpoints).map(([text, endpoint]) => {
    const name = text as OperationName;
    return {
      name,
      endpoint,
      async handle(exchange) {
        const caller = await options.caller(exchange.request);
        const { fields, csv } = readAdminQuery(exchange.request.url ?? '', endpoint);
        const body = changes(endpoint) ? await readInput(exchange, endpoint) : {};
        const input = { ...body, ...fields, ...exchange.params };
        const idempotencyKey = changes(endpoint) ? readIdempotencyKey(exchange.request) : null;
        const result = await options.run({ ...caller, name, input, idempotencyKey });
        if (csv) sendCsv(exchange, name, { text: csvOf(endpoint, result), next: nextCursor(result) });
        else exchange.sendJson(200, JSON.stringify(result));
      },
    };
  });
}

/** A body may be left out where all its fields may. A field of the path or the query does not belong in it. */
async function readInput(exchange: Exchange, { request }: AdminEndpoint): Promise<object> {
  const body = (await readOptionalJsonBody(exchange, BODY_LIMITS))?.value ?? {};
  const known = Object.keys(request?.properties ?? {});
  const unknown = Object.keys(body).find((field) => !known.includes(field));
  if (unknown === undefined) return body;
  const use = known.length === 0 ? 'It takes no body' : `Its fields are ${known.join(', ')}`;
  throw new Problem('invalid_parameter', {
    detail: `${JSON.stringify(unknown.slice(0, 80))} is not a field of the body. ${use}.`,
    param: unknown.slice(0, 80),
  });
}

function nextCursor(result: unknown): string | null {
  return (result as { next_cursor?: string | null }).next_cursor ?? null;
}

/** CSV has no place for the cursor, and without one a page would look like the whole list. */
function sendCsv(
  exchange: Exchange,
  name: string,
  { text, next }: { text: string; next: string | null },
): void {
  const bytes = Buffer.from(text);
  const head = exchange.headers('text/csv; charset=utf-8', {
    'content-disposition': `attachment; filename="${name.replace('.', '-')}.csv"`,
    ...(next !== null && { 'x-next-cursor': next }),
  });
  exchange.response.writeHead(200, [...head, 'content-length', String(bytes.length)]).end(bytes);
}

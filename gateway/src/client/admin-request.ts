/** Turns an operation of administration and its input into an HTTP request. */
import { type AdminEndpoint, namesInPath } from '../contract/administration/admin-endpoint.ts';
import { adminEndpoints, type OperationName } from '../contract/administration/admin-endpoints.ts';

export interface AdminRequest {
  readonly method: AdminEndpoint['method'];
  /** With its query. */
  readonly path: string;
  /** Left out where the operation takes no body. */
  readonly body?: object;
}

/** Fields that are undefined are not sent. */
export function adminRequest(name: OperationName, input: Readonly<Record<string, unknown>>): AdminRequest {
  const { method, path, query, request }: AdminEndpoint = adminEndpoints[name];
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const rest = new Map(given.filter(([field]) => !namesInPath(path).some((one) => one === field)));
  const filled = namesInPath(path).reduce(
    (text, field) => text.replace(`{${field}}`, encodeURIComponent(String(input[field]))),
    path,
  );
  const asked = new URLSearchParams();
  for (const [field, value] of rest) {
    if (query === undefined || !(field in query.properties)) continue;
    asked.set(field, String(value));
    rest.delete(field);
  }
  const question = asked.size === 0 ? '' : `?${asked.toString()}`;
  // What is left is sent as it is: the server names a field that it does not know.
  const body = request === undefined && rest.size === 0 ? {} : { body: Object.fromEntries(rest) };
  return { method, path: `${filled}${question}`, ...body };
}

/** Turns an operation of administration and its input into an HTTP request. */
import type { AdminRoute } from '../contract/administration/admin-endpoint.ts';

export interface AdminRequest {
  readonly method: AdminRoute['method'];
  /** With its query. */
  readonly path: string;
  /** Left out where the operation takes no body. */
  readonly body?: object;
}

/** Fields that are undefined are not sent. */
export function adminRequest(
  { method, path, query, takesBody }: AdminRoute,
  input: Readonly<Record<string, unknown>>,
): AdminRequest {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    rest.delete(field);
    return encodeURIComponent(String(input[field]));
  });
  const asked = new URLSearchParams();
  for (const field of query) {
    if (!rest.has(field)) continue;
    asked.set(field, String(rest.get(field)));
    rest.delete(field);
  }
  const question = asked.size === 0 ? '' : `?${asked.toString()}`;
  // What is left is sent as it is: the server names a field that it does not know.
  const body = !takesBody && rest.size === 0 ? {} : { body: Object.fromEntries(rest) };
  return { method, path: `${filled}${question}`, ...body };
}

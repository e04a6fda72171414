/** The key in OpenAI's way. */
import type { RequestHeaders } from '../dialect.ts';

export function readBearer(headers: RequestHeaders): string | null {
  const { authorization } = headers;
  return typeof authorization === 'string' && /^bearer /i.test(authorization)
    ? authorization.slice('bearer '.length).trim()
    : null;
}

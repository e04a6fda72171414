/**
 * Writes what client libraries send into the file TOLLGATE_CLIENT_REQUESTS, one line per header and field. Runs before each
 * test file of `npm run clients:latest`; processes append to the same file.
 */
import { appendFileSync } from 'node:fs';
import { requestFields } from './request-fields.ts';

const file = process.env.TOLLGATE_CLIENT_REQUESTS ?? '';
const plain = globalThis.fetch;
const written = new Set<string>();

/** A process runs several test files, each of which would record the recorder. */
if (plain.name !== recordingFetch.name) globalThis.fetch = recordingFetch;

function recordingFetch(...args: Parameters<typeof fetch>): ReturnType<typeof fetch> {
  const [input, { method = 'GET', headers, body } = {}] = args;
  const url = input instanceof Request ? input.url : String(input);
  const sent = { method, url, headers: new Headers(headers), body: parse(body) };
  const lines = requestFields(sent).filter((line) => !written.has(line));
  for (const line of lines) written.add(line);
  if (lines.length > 0) appendFileSync(file, `${lines.join('\n')}\n`);
  return plain(...args);
}

function parse(body: unknown): unknown {
  if (body instanceof FormData) return Object.fromEntries(body);
  return typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : null;
}

/** What is wrong with a request before anybody looks at where it goes. Pure. */
import type { IncomingMessage } from 'node:http';
import { Problem } from '../kernel/problem.ts';

type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'httpVersion'>;

/** Null when nothing is. */
export function headProblem(request: Head): Problem | null {
  const hosts = countHosts(request.rawHeaders);
  // Two of them are read by one machine as this and by the next as that.
  if (hosts > 1) return malformed('The request has more than one Host header.');
  if (hosts === 0 && request.httpVersion === '1.1') return malformed('The request has no Host header.');
  return request.headers.upgrade === undefined ? null : upgradeProblem(request.headers);
}

function malformed(detail: string): Problem {
  return new Problem('malformed_request', { detail });
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

/** Clients that only offer HTTP/2 (Java's own, `curl --http2`) take an answer in HTTP/1.1 as well. */
function upgradeProblem({ upgrade = '', connection = '' }: IncomingMessage['headers']): Problem | null {
  if (!/\bupgrade\b/i.test(connection) || /^h2c$/i.test(upgrade.trim())) return null;
  const shown = JSON.stringify(upgrade.slice(0, 40));
  return new Problem('upgrade_required', {
    detail: `The gateway does not speak ${shown}. Send the request as plain HTTP, without an Upgrade header.`,
  });
}

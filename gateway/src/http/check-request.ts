/** Checks the headers of a request before its route is known. Pure. */
import type { EdgeRequest } from '../edge/edge-request.ts';
import { Problem } from '../kernel/problem.ts';

type Head = Pick<EdgeRequest, 'headers' | 'hosts' | 'httpVersion'>;

/** Null if the request is valid. */
export function headProblem(request: Head): Problem | null {
  const { hosts } = request;
  // Proxies disagree about which of two Host headers counts.
  if (hosts > 1) return malformed('The request has more than one Host header. Send one.');
  if (hosts === 0 && request.httpVersion === '1.1')
    return malformed('The request has no Host header, which HTTP/1.1 requires.');
  return request.headers.upgrade === undefined ? null : upgradeProblem(request.headers);
}

function malformed(detail: string): Problem {
  return new Problem('malformed_request', { detail });
}

/** Clients that offer HTTP/2 (Java's own, `curl --http2`) accept an answer in HTTP/1.1 as well. */
function upgradeProblem({ upgrade = '', connection = '' }: EdgeRequest['headers']): Problem | null {
  if (!/\bupgrade\b/i.test(connection) || /^h2c$/i.test(upgrade.trim())) return null;
  const shown = JSON.stringify(upgrade.slice(0, 40));
  return new Problem('upgrade_required', {
    detail: `The gateway does not support an upgrade to ${shown}. Send the request as plain HTTP, without an Upgrade header.`,
  });
}

/**
 * Reads and drops the rest of a body that was rejected, because many clients read no answer before they have sent
 * everything. It is paced like any large body, and its time is limited.
 */
import type { EdgeRequest } from '../edge/edge-request.ts';
import { CHUNKED } from '../edge/request-head.ts';
import type { Clock } from '../kernel/time.ts';
import { SMALL_BODY_BYTES } from './arriving-body.ts';
import type { BodyArrivals } from './body-arrivals.ts';

const DRAIN_MS_MAX = 30_000;

export function drainBody(
  request: EdgeRequest,
  { arrivals, clock }: { arrivals: BodyArrivals; clock: Clock },
): void {
  const { bodyBytes } = request;
  // The connection itself drops the rest of a small body.
  if (request.complete || request.destroyed) return;
  if (bodyBytes !== CHUNKED && bodyBytes <= SMALL_BODY_BYTES) return;
  const dropped = { resume: () => request.resume() };
  request.on('data', (chunk: Buffer) => {
    if (!arrivals.received(dropped, chunk.length)) request.pause();
  });
  request.on(
    'close',
    clock.after(DRAIN_MS_MAX, () => request.socket.destroy()),
  );
  request.resume();
}

/** The body of a request as a loop that awaits: nothing is received while a chunk is being handled. */
import type { EdgeRequest } from '../edge/edge-request.ts';
import { bodyCutOff } from './arriving-body.ts';

/** Throws if the connection ends before the whole body was received. Reading may stop early: the request stays open. */
export async function* bodyChunks(request: EdgeRequest): AsyncGenerator<Buffer> {
  const held: Buffer[] = [];
  let isOver = false;
  let wake: () => void = () => undefined;
  const onData = (chunk: Buffer): void => {
    held.push(chunk);
    request.pause();
    wake();
  };
  const onClose = (): void => {
    isOver = true;
    wake();
  };
  request.on('data', onData);
  request.on('close', onClose);
  if (request.destroyed) onClose();
  try {
    for (;;) {
      const chunk = held.shift();
      if (chunk !== undefined) {
        yield chunk;
        continue;
      }
      if (isOver) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
        request.resume();
      });
    }
    if (!request.complete) throw bodyCutOff();
  } finally {
    request.off('data', onData);
    request.off('close', onClose);
  }
}

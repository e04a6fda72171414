/** Answers `Expect: 100-continue`. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * A client that sends `Expect: 100-continue` gets its 100 when a handler starts to read the body, so not before its
 * key and its length are accepted. If no handler does, the connection cannot be used again.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  const onListener = (event: string): void => {
    if (event !== 'data' && event !== 'readable') return;
    request.off('newListener', onListener);
    response.shouldKeepAlive = shouldKeepAlive;
    if (!response.headersSent) response.writeContinue();
  };
  request.on('newListener', onListener);
}

/** From now on reading does not send 100 Continue. */
export function neverContinue(request: IncomingMessage): void {
  request.removeAllListeners('newListener');
}

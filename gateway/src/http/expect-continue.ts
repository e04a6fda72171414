import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * A client that asks before it sends its body gets its answer when somebody begins to read it: not before its key
 * is known to be good and its length to be taken. Where nobody does, what would come next is unclear.
 */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
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

/** What is read from now on is not asked for. */
export function neverAskForBody(request: IncomingMessage): void {
  request.removeAllListeners('newListener');
}

/** Ends work for a caller that disconnected. */
import { Cancellation } from '../kernel/cancellation.ts';
import type { Exchange } from './exchange.ts';

export function cancelledWithCaller({ response }: Pick<Exchange, 'response'>): Cancellation {
  const cancellation = new Cancellation();
  response.on('close', () => {
    if (!response.writableFinished) cancellation.cancel();
  });
  return cancellation;
}

/** Shows the receipt of a call to the owner of its key. */
import { endpoints } from '../../contract/endpoints.ts';
import { readReceipt } from '../../reports/receipts.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';

export function receiptRoute(tools: Parameters<typeof readReceipt>[1]): HttpRoute {
  return keyedRoute('getReceipt', endpoints.getReceipt, async (exchange, principal) => {
    const receipt = await readReceipt({ principal, id: exchange.params.request_id ?? '' }, tools);
    exchange.sendJson(200, JSON.stringify(receipt));
  });
}

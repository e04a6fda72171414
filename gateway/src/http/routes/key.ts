/** Shows the calling key. Allowed in every state of the space, because it costs nothing. */
import { endpoints } from '../../contract/endpoints.ts';
import { type KeyReportTools, keyReport } from '../../reports/key-report.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';

export function keyRoute(tools: KeyReportTools): HttpRoute {
  return keyedRoute('getKey', endpoints.getKey, async (exchange, principal) => {
    exchange.sendJson(200, JSON.stringify(await keyReport(principal, tools)));
  });
}

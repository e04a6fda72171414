/** Health, readiness and the OpenAPI document, without a key. */
import { endpoints } from '../../contract/endpoints.ts';
import type { Health, Readiness } from '../../contract/health.ts';
import { openapiDocument } from '../../contract/openapi.ts';
import { type HttpRoute, openRoute } from '../define-route.ts';

/** `notReady` returns why this process should get no traffic, or null. */
export function systemRoutes(options: { version: string; notReady: () => string | null }): HttpRoute[] {
  const { version, notReady } = options;
  const health = JSON.stringify({ status: 'ok', version } satisfies Health);
  let openapi: string | null = null;
  return [
    openRoute('health', endpoints.health, (exchange) => exchange.sendJson(200, health)),
    openRoute('ready', endpoints.ready, (exchange) => {
      const reason = notReady();
      const body: Readiness = reason === null ? { status: 'ready' } : { status: 'not_ready', reason };
      exchange.sendJson(reason === null ? 200 : 503, JSON.stringify(body));
    }),
    openRoute('openapi', endpoints.openapi, (exchange) => {
      openapi ??= JSON.stringify(openapiDocument({ version }));
      exchange.sendJson(200, openapi);
    }),
  ];
}

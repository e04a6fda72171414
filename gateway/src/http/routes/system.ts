/** Health, readiness and the OpenAPI document, without a key. */
import { endpoints } from '../../contract/endpoints.ts';
import type { Health, Readiness } from '../../contract/health.ts';
import { openapiDocument } from '../../contract/openapi.ts';
import { type HttpRoute, openRoute } from '../define-route.ts';
import { type StaticFile, sendStaticFile, staticFile } from '../static-files.ts';

export interface SystemRouteOptions {
  readonly version: string;
  /** The address of the installation; null if it is not configured. */
  readonly publicUrl: string | null;
  /** Why this process should get no traffic, or null. */
  readonly notReady: () => string | null;
}

export function systemRoutes({ version, publicUrl, notReady }: SystemRouteOptions): HttpRoute[] {
  const health = JSON.stringify({ status: 'ok', version } satisfies Health);
  let openapi: StaticFile | null = null;
  const writeOpenapi = (): StaticFile => {
    const document = openapiDocument({ version, ...(publicUrl !== null && { serverUrl: publicUrl }) });
    return staticFile('openapi.json', Buffer.from(JSON.stringify(document)), { policy: NOTHING_RUNS });
  };
  return [
    openRoute('getHealth', endpoints.getHealth, (exchange) => exchange.sendJson(200, health)),
    openRoute('getReadiness', endpoints.getReadiness, (exchange) => {
      const reason = notReady();
      const body: Readiness = reason === null ? { status: 'ready' } : { status: 'not_ready', reason };
      exchange.sendJson(reason === null ? 200 : 503, JSON.stringify(body));
    }),
    openRoute('getOpenapi', endpoints.getOpenapi, (exchange) => {
      openapi ??= writeOpenapi();
      sendStaticFile(exchange, openapi);
    }),
  ];
}

const NOTHING_RUNS = "default-src 'none'; frame-ancestors 'none'";

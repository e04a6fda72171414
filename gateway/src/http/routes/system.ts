/** What this is, health, readiness and the OpenAPI document, without a key. */
import type { ApiSettings } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { Health, Readiness, Welcome } from '../../contract/health.ts';
import { openapiDocument } from '../../contract/openapi.ts';
import { openaiBaseUrl } from '../../contract/samples.ts';
import { browserOrigin } from '../client-address.ts';
import { type HttpRoute, openRoute } from '../define-route.ts';
import { type StaticFile, sendStaticFile, staticFile } from '../static-files.ts';

export interface SystemRouteOptions {
  readonly version: string;
  /** Why this process should get no traffic, or null. */
  readonly notReady: () => string | null;
}

/** For every listener, whatever its process does. */
export function systemRoutes({ version, notReady }: SystemRouteOptions): HttpRoute[] {
  const health = JSON.stringify({ status: 'ok', version } satisfies Health);
  return [
    openRoute('getHealth', endpoints.getHealth, (exchange) => exchange.sendJson(200, health)),
    openRoute('getReadiness', endpoints.getReadiness, (exchange) => {
      const reason = notReady();
      const body: Readiness = reason === null ? { status: 'ready' } : { status: 'not_ready', reason };
      exchange.sendJson(reason === null ? 200 : 503, JSON.stringify(body));
    }),
  ];
}

export interface WelcomeRouteOptions {
  readonly version: string;
  readonly api: ApiSettings;
  /** The address of the installation; null if it is not configured. */
  readonly publicUrl: string | null;
}

export function welcomeRoutes({ version, api, publicUrl }: WelcomeRouteOptions): HttpRoute[] {
  let openapi: StaticFile | null = null;
  const writeOpenapi = (): StaticFile => {
    const document = openapiDocument({ version, api, ...(publicUrl !== null && { serverUrl: publicUrl }) });
    return staticFile('openapi.json', Buffer.from(JSON.stringify(document)), { policy: NOTHING_RUNS });
  };
  return [
    openRoute('getWelcome', endpoints.getWelcome, (exchange) => {
      const { request } = exchange;
      if (/\btext\/html\b/.test(request.headers.accept ?? '')) exchange.redirect('/console/', []);
      else exchange.sendJson(200, JSON.stringify(welcome(version, browserOrigin(request, publicUrl))));
    }),
    openRoute('getOpenapi', endpoints.getOpenapi, (exchange) => {
      openapi ??= writeOpenapi();
      sendStaticFile(exchange, openapi);
    }),
  ];
}

function welcome(version: string, origin: string): Welcome {
  return {
    name: 'tollgate',
    version,
    about: 'A model gateway: point an OpenAI or Anthropic client at it, with a key of this installation.',
    openai_base_url: openaiBaseUrl(origin),
    anthropic_base_url: origin,
    console_url: `${origin}/console/`,
    docs_url: `${origin}/docs`,
    openapi_url: `${origin}/openapi.json`,
  };
}

const NOTHING_RUNS = "default-src 'none'; frame-ancestors 'none'";

/** The messages format: answers, and token counts. */
import type { CallTools } from '../../calls/call-tools.ts';
import { countTokens } from '../../calls/count-tokens.ts';
import { checkCountRequest, checkMessagesRequest } from '../../contract/check-messages.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { EdgeRequest } from '../../edge/edge-request.ts';
import type { JsonObject } from '../../json/parse-json.ts';
import { Problem } from '../../kernel/problem.ts';
import type { OpenLimits } from '../../memory/open-limits.ts';
import { messagesFormat } from '../../text/formats/messages/messages.ts';
import { type HttpRoute, keyedRoute, leaseOf } from '../define-route.ts';
import type { JsonRouteOptions } from '../json-route.ts';
import { cancelledWithCaller } from '../leaving-caller.ts';
import { type BodyLimits, readJsonBody } from '../read-body.ts';
import { textRoute } from '../text-route.ts';

export function messagesRoute(options: JsonRouteOptions): HttpRoute {
  const check = (body: JsonObject) => ({ request: checkMessagesRequest(body.value), body, keep: null });
  return textRoute('createMessage', { format: messagesFormat, beta: readHeaders, check }, options);
}

export function countTokensRoute(
  tools: CallTools,
  options: { body: BodyLimits; openCounts: OpenLimits },
): HttpRoute {
  return keyedRoute('countMessageTokens', endpoints.countMessageTokens, async (exchange, principal) => {
    const beta = readHeaders(exchange.request);
    const body = await readJsonBody(exchange, options.body);
    const request = checkCountRequest(body.value);
    exchange.model = request.model;
    // It is free, so nothing else limits how much of it a key asks for at once.
    const leave = options.openCounts.enter(principal);
    try {
      const call = { principal, lease: leaseOf(exchange), body, request, beta };
      const cancellation = cancelledWithCaller(exchange);
      const tokens = await countTokens({ ...call, cancellation }, tools);
      exchange.sendJson(200, JSON.stringify({ input_tokens: tokens }));
    } finally {
      leave();
    }
  });
}

const VERSION = /^\d{4}-\d{2}-\d{2}$/;
const BETA = /^[\x20-\x7e]{1,1000}$/;

/** Checks the version header, which may be any date, and returns the beta header. */
function readHeaders({ headers }: EdgeRequest): string | null {
  const version = headers['vendor-version'] ?? headers['anthropic-version'];
  if (typeof version !== 'string' || !VERSION.test(version)) {
    const sent = version === undefined ? 'is missing' : 'is not a date';
    throw new Problem('invalid_parameter', {
      detail: `The header vendor-version ${sent}. Send vendor-version: 2023-06-01.`,
      param: 'vendor-version',
    });
  }
  const beta = headers['anthropic-beta'];
  if (beta === undefined || beta === '') return null;
  if (typeof beta === 'string' && BETA.test(beta)) return beta;
  throw new Problem('invalid_parameter', {
    detail: 'The header anthropic-beta must be at most 1000 printable ASCII characters.',
    param: 'anthropic-beta',
  });
}

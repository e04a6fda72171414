/** The messages format: answers, and token counts. */

import type { Principal } from '../../access/principal.ts';
import type { CallTools } from '../../calls/call-tools.ts';
import { countTokens } from '../../calls/count-tokens.ts';
import { runText } from '../../calls/run-text.ts';
import { checkCountRequest, checkMessagesRequest } from '../../contract/check-messages.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { EdgeRequest } from '../../edge/edge-request.ts';
import type { JsonObject } from '../../kernel/json/parse-json.ts';
import { Problem } from '../../kernel/problem.ts';
import { messagesFormat } from '../../text/formats/messages/messages.ts';
import { answerRepeatable, readRepeatable, type WrapReply } from '../answer-once.ts';
import { type HttpRoute, keyedRoute, leaseOf } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { HttpCallReply } from '../http-call-reply.ts';
import { type BodyLimits, readJsonBody } from '../read-body.ts';
import type { TextRouteOptions } from '../text-route.ts';
import { failureIn } from '../write-failure.ts';

export function messagesRoute(tools: CallTools, options: TextRouteOptions): HttpRoute {
  const route = { tools, options };
  return keyedRoute('createMessage', endpoints.createMessage, async (exchange, principal) => {
    const repeatable = readRepeatable(exchange.request, 'messages');
    const beta = readHeaders(exchange.request);
    const body = await readJsonBody(exchange, options.body, repeatable?.digest);
    if (repeatable === null) await run(route, exchange, principal, body, beta, null);
    else {
      const streamed = body.value.stream === true;
      const once = {
        exchange,
        principal,
        repeatable,
        streamed,
        writeFailure: failureIn(messagesFormat, body),
      };
      await answerRepeatable(once, (wrap) => run(route, exchange, principal, body, beta, wrap), options.once);
    }
  });
}

interface MessagesRoute {
  readonly tools: CallTools;
  readonly options: TextRouteOptions;
}

async function run(
  { tools, options }: MessagesRoute,
  exchange: Exchange,
  principal: Principal,
  body: JsonObject,
  beta: string | null,
  wrap: WrapReply | null,
): Promise<void> {
  const request = checkMessagesRequest(body.value, beta);
  exchange.model = request.model;
  const { id, startedAt, startedMs, trace } = exchange;
  const lease = leaseOf(exchange);
  const streams = request.stream === true;
  if (streams) exchange.onOver(options.openStreams.enter(principal));
  const http = new HttpCallReply(exchange, { streams, keepAlive: options.keepAlive, clock: tools.clock });
  const reply = wrap === null ? http : wrap(http);
  const call = {
    id,
    principal,
    lease,
    format: messagesFormat,
    body,
    request,
    reply,
    startedAt,
    startedMs,
    trace,
  };
  const { headers } = exchange.request;
  await runText({ ...call, headers, beta, keep: null }, tools);
}

export function countTokensRoute(tools: CallTools, options: { body: BodyLimits }): HttpRoute {
  return keyedRoute('countMessageTokens', endpoints.countMessageTokens, async (exchange, principal) => {
    const beta = readHeaders(exchange.request);
    const body = await readJsonBody(exchange, options.body);
    const request = checkCountRequest(body.value, beta);
    exchange.model = request.model;
    const tokens = await countTokens({ principal, lease: leaseOf(exchange), body, request, beta }, tools);
    exchange.sendJson(200, JSON.stringify({ input_tokens: tokens }));
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

/** The endpoints of kept responses; part of the table in endpoints.ts. */
import type { Endpoint } from './endpoint.ts';
import {
  InputItemList,
  InputItemQuery,
  ResponseDeleted,
  ResponseEvent,
  ResponseObject,
  ResponseQuery,
} from './responses-answer.ts';

export const responseEndpoints = {
  getResponse: {
    method: 'GET',
    path: '/v1/responses/{id}',
    ids: 'resp',
    credential: 'gateway',
    summary: 'Get a kept response.',
    query: ResponseQuery,
    response: ResponseObject,
    event: ResponseEvent,
    problems: [
      'response_not_found',
      'answer_not_kept',
      'response_cancelled',
      'response_lost',
      'invalid_parameter',
      'rate_limit_exceeded',
    ],
  },
  cancelResponse: {
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    ids: 'resp',
    credential: 'gateway',
    summary: 'Cancel a background response.',
    response: ResponseObject,
    problems: ['response_not_found', 'invalid_parameter', 'rate_limit_exceeded'],
  },
  deleteResponse: {
    method: 'DELETE',
    path: '/v1/responses/{id}',
    ids: 'resp',
    credential: 'gateway',
    summary: 'Delete a kept response.',
    response: ResponseDeleted,
    problems: ['response_not_found'],
  },
  listInputItems: {
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    ids: 'resp',
    credential: 'gateway',
    summary: 'List the input items of a kept response.',
    query: InputItemQuery,
    response: InputItemList,
    problems: ['response_not_found', 'invalid_parameter', 'rate_limit_exceeded'],
  },
} as const satisfies Record<string, Endpoint>;

/** Checks the body of a line of `/v1/responses`, for files that were uploaded before such lines were rejected. */

import { checkResponsesRequest } from '../contract/check-responses.ts';
import { findKeptReference } from '../contract/kept-reference.ts';
import type { ResponsesRequest } from '../contract/responses.ts';
import { Problem } from '../kernel/problem.ts';

export function checkResponsesLine(value: unknown): ResponsesRequest {
  const request = checkResponsesRequest(value);
  if (request.background === true) {
    throw new Problem('invalid_parameter', {
      detail: 'background is not allowed in a batch, which runs in the background itself. Remove it.',
      param: 'background',
    });
  }
  const param = findKeptReference(request);
  if (param === null) return request;
  throw new Problem('invalid_parameter', {
    detail: `${param} refers to a kept response, which a batch does not read. Send the whole conversation.`,
    param,
  });
}

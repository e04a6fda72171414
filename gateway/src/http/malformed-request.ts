/** The answer to bytes that are not valid HTTP or exceed a limit. There is no response object, only a socket. */
import { errorBody } from '../contract/error-body.ts';
import { HEADERS_MAX, type RequestFault } from '../edge/request-head.ts';
import { Problem } from '../kernel/problem.ts';

export function malformedProblem(fault: RequestFault, headerBytesMax: number): Problem {
  if (fault === 'head_too_large') {
    return new Problem('headers_too_large', {
      detail: `The headers are larger than ${headerBytesMax} bytes. Send fewer or shorter headers.`,
    });
  }
  if (fault === 'too_many_headers') {
    return new Problem('headers_too_large', {
      detail: `The request has more than ${HEADERS_MAX} headers. Send fewer.`,
    });
  }
  if (fault === 'request_timeout') return new Problem('request_timeout');
  return new Problem('malformed_request');
}

export function malformedAnswer(problem: Problem, id: string): string {
  const body = JSON.stringify(errorBody(problem, id));
  return (
    `HTTP/1.1 ${problem.status} ${problem.code}\r\ncontent-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${id}\r\nrequest-id: ${id}\r\n` +
    `cache-control: no-store\r\nconnection: close\r\n\r\n${body}`
  );
}

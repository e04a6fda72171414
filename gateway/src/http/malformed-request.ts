/** The answer to bytes that are not valid HTTP or exceed a limit. There is no response object, only a socket. */
import { errorBody } from '../contract/error-body.ts';
import { Problem } from '../kernel/problem.ts';

export function malformedProblem(code: string | undefined, headerBytesMax: number): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Problem('headers_too_large', {
      detail: `The headers are larger than ${headerBytesMax} bytes. Send fewer or shorter headers.`,
    });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('request_timeout');
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

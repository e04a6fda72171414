/**
 * The one table of everything that can go wrong in public: code → HTTP status, what it means, and
 * whether a client library should send the same request again. docs/errors.md and the endpoint
 * table are checked against it by a test.
 *
 * `retry` becomes the `x-should-retry` header: SDKs repeat 409, 429 and 5xx by themselves unless
 * this header says otherwise. Claude Code repeats 401 as well.
 */
export const problemCodes = {
  missing_credentials: {
    status: 401,
    text: 'No API key or session was sent in a header this endpoint reads.',
    retry: false,
  },
  invalid_credentials: {
    status: 401,
    text: 'The API key or session is malformed, unknown or of the wrong kind.',
    retry: false,
  },
  api_key_expired: { status: 401, text: 'The API key is past its expiry date.', retry: false },
  csrf_failed: { status: 403, text: 'A write with a session cookie did not come from our own page.' },
  sign_in_not_allowed: {
    status: 403,
    text: 'The configuration does not allow this way to sign in, or this account has no access.',
  },
  sign_in_failed: { status: 400, text: 'The sign-in at the issuer did not complete. Start again.' },

  permission_denied: { status: 403, text: 'You may not do this with your role or token.' },
  conflict: { status: 409, text: 'The change does not fit the current state.', retry: false },

  invalid_json: { status: 400, text: 'The body is not a well-formed JSON object.' },
  invalid_parameter: { status: 400, text: 'A field of the request has a value that is not allowed.' },
  unsupported_parameter: {
    status: 400,
    text: 'A line of a batch has a field that its model does not take; lines are sent as written.',
  },
  endpoint_mismatch: { status: 400, text: 'The endpoint is not the one that the lines of the file are for.' },
  model_not_batchable: { status: 400, text: 'The model does not take batches.' },
  OVERAGE_NOT_ALLOWED: { status: 403, text: 'The space does not permit usage beyond its units.' },
  invalid_line: { status: 400, text: 'A row of the batch file is not valid.' },
  idempotency_key_invalid: { status: 400, text: 'The Idempotency-Key is blank or too long.' },
  REFERENCE_UPLOAD_REJECTED: {
    status: 400,
    text: 'The file is empty, of a type that cannot be a reference, or larger than its kind may be.',
  },
  upgrade_required: { status: 426, text: 'The request asks for a protocol that the gateway does not speak.' },
  malformed_request: { status: 400, text: 'The request is not well-formed HTTP.' },
  tool_format_invalid: { status: 400, text: 'The tools of the request are not valid.' },
  tools_not_supported: { status: 400, text: 'The model does not call tools.' },
  vision_not_supported: { status: 400, text: 'The model does not take images.' },
  streaming_not_supported: { status: 400, text: 'The model does not stream.' },
  response_format_not_supported: {
    status: 400,
    text: 'The model does not support the requested response format.',
  },
  responses_not_supported: { status: 400, text: 'The model does not support /v1/responses.' },
  context_length_exceeded: {
    status: 400,
    text: 'The prompt and the output together exceed the context of the model.',
  },
  price_missing: {
    status: 400,
    text: 'The request asks for something that the model has no price for, so it was not sent.',
  },
  insufficient_units: { status: 402, text: 'The space has no units left, or is blocked.', retry: false },
  input_too_long: { status: 400, text: 'An input has more tokens than the model takes in one.' },
  batch_too_large: { status: 400, text: 'There are more inputs or tokens than the model takes in one call.' },
  content_blocked: { status: 400, text: 'The provider refused the prompt under its content policy.' },
  model_not_found: {
    status: 404,
    text: 'The model is not in the list of this space, or does not support this endpoint.',
  },
  response_not_found: {
    status: 404,
    text: 'The response or item that the request refers to is not kept, or is not yours.',
  },
  receipt_not_found: { status: 404, text: 'There is no such call, or it is not yours.' },
  batch_not_found: { status: 404, text: 'There is no such batch, or it is not yours.' },
  job_not_found: { status: 404, text: 'There is no such job, or it is not yours.' },
  file_not_found: { status: 404, text: 'There is no such file, or it is not yours.' },
  media_not_found: { status: 404, text: 'There is no such file, or it is not yours, or the link has ended.' },
  project_not_found: { status: 404, text: 'There is no such project, or it is not yours to see.' },
  build_not_found: { status: 404, text: 'There is no such build, or it is not yours to see.' },
  issuer_not_found: { status: 404, text: 'There is no such issuer to sign in with.' },
  not_found: { status: 404, text: 'There is nothing at this path.' },
  method_not_allowed: { status: 405, text: 'The path exists, but not for this method.' },
  request_timeout: { status: 408, text: 'The request did not arrive in time.' },
  batch_not_cancellable: { status: 409, text: 'The batch has ended, or is about to.', retry: false },
  job_not_cancellable: { status: 409, text: 'The job has ended, or cannot be stopped.', retry: false },
  idempotency_conflict: {
    status: 409,
    text: 'The Idempotency-Key was already used for another request.',
    retry: false,
  },
  idempotency_in_flight: {
    status: 409,
    text: 'The first request with this Idempotency-Key is still under way.',
    retry: true,
  },
  answer_not_kept: {
    status: 409,
    text: 'The first request with this Idempotency-Key was charged, but its answer is not kept.',
    retry: false,
  },
  response_cancelled: { status: 409, text: 'The background response was cancelled.', retry: false },
  media_not_ready: { status: 409, text: 'The file is still being made, or could not be.', retry: false },
  file_in_use: { status: 409, text: 'The file is the input of a batch that is not settled.', retry: false },
  file_too_large: { status: 413, text: 'The file is larger than a batch file may be.' },
  REFERENCE_TOO_LARGE: { status: 413, text: 'The file is larger than 200 MiB.' },
  request_too_large: { status: 413, text: 'The body is larger than the endpoint takes.' },
  uri_too_long: { status: 414, text: 'The address of the request is too long.' },
  unsupported_media_type: { status: 415, text: 'The body is not of a type the endpoint reads.' },
  range_not_satisfiable: { status: 416, text: 'The range begins behind the end of the file.' },
  headers_too_large: { status: 431, text: 'The headers of the request are too large.' },
  build_logs_unavailable: {
    status: 422,
    text: 'Build logs are not available yet: the build is still running.',
  },
  validation_error: { status: 422, text: 'A parameter of the query, or a part of the form, is not valid.' },
  policy_limit_exceeded: { status: 429, text: 'A usage limit that applies is reached.', retry: false },
  budget_exceeded: {
    status: 429,
    text: 'A budget of the space is used up, or the call does not fit into what is left.',
    retry: false,
  },
  budget_held: {
    status: 429,
    text: 'What is left of a budget is held by running calls for a moment.',
    retry: true,
  },
  rate_limit_exceeded: { status: 429, text: 'Too many requests at the moment.', retry: true },

  internal_error: { status: 500, text: 'Something broke on our side.' },
  upstream_error: { status: 502, text: 'The model provider answered with an error.' },
  upstream_unavailable: { status: 503, text: 'No provider of the model can be reached.', retry: true },
  service_unavailable: {
    status: 503,
    text: 'The gateway cannot record calls at the moment, so it takes none.',
    retry: true,
  },
  response_lost: {
    status: 503,
    text: 'The process that ran the background response was lost.',
    retry: false,
  },
  issuer_unavailable: {
    status: 503,
    text: 'The issuer to sign in with gives no usable answer.',
    retry: true,
  },
  REFERENCE_UPLOAD_UNAVAILABLE: {
    status: 503,
    text: 'References cannot be kept at the moment.',
    retry: true,
  },
  upstream_timeout: { status: 504, text: 'The model provider did not answer in time.' },
} as const satisfies Record<string, ProblemCodeEntry>;

interface ProblemCodeEntry {
  readonly status: number;
  readonly text: string;
  readonly retry?: boolean;
}

export type ProblemCode = keyof typeof problemCodes;

/** Every code, in the order of the table. */
export const allProblemCodes = Object.keys(problemCodes) as ProblemCode[];

export function problemCodeEntry(code: ProblemCode): ProblemCodeEntry {
  return problemCodes[code];
}

/** The text at the beginning of the OpenAPI document. Markdown. */
export const introduction = `Tollgate is a multi-tenant model gateway. It checks every call, relays it to a provider, prices it and charges it in *units*: exactly, and before the last byte of the answer leaves.

**Base URLs.** OpenAI client libraries take the address of the installation with \`/v1\` behind it. Anthropic client libraries take it without.

**Keys.** A gateway key (\`sk_…\`) calls models. A management key (\`mk_…\`) reads the usage and balance of its space. People have sessions: a cookie in a browser, or a token (\`ts_…\`) in a program.

**Administration.** Everything under \`/api/console\` is done with a session or an administration token (\`at_…\`), by members, administrators of a space, or operators of the installation. A space that you cannot see is answered like one that does not exist. Lists answer \`data\` and \`next_cursor\`. Times are KST, as months and limits are.

**Cost.** Every charged answer has \`estimated_cost\`, which is the amount that was charged. It is \`null\` if the cost is unknown, never zero instead. Amounts are decimals in strings, so that no digit is lost.

**Errors.** Every error has a code in \`type\`, a \`detail\` that says what to do, and an \`error_ref\`. The same is repeated in \`error\`, where client libraries read it. \`x-should-retry\` says whether the same request may succeed later, and \`retry-after\` when.

**Requests.** Every answer has an \`x-request-id\`. Endpoints that start something accept an \`Idempotency-Key\`: the same request with the same key is carried out once.`;

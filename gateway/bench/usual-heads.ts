/** The headers that requests and answers usually have: those of the OpenAI SDK, and those that OpenAI sends back. */

export const callerHeaders: Readonly<Record<string, string>> = {
  Accept: 'application/json',
  Connection: 'keep-alive',
  'X-Stainless-Retry-Count': '0',
  'X-Stainless-Timeout': '600',
  'X-Stainless-Lang': 'js',
  'X-Stainless-Package-Version': '6.3.0',
  'X-Stainless-OS': 'Linux',
  'X-Stainless-Arch': 'x64',
  'X-Stainless-Runtime': 'node',
  'X-Stainless-Runtime-Version': 'v26.1.0',
  'Accept-Language': '*',
  'Sec-Fetch-Mode': 'cors',
  'Accept-Encoding': 'br, gzip, deflate',
};

/** Without the type and the length. */
const providerHeaders: Readonly<Record<string, string>> = {
  'access-control-expose-headers': 'X-Request-ID',
  'openai-organization': 'user-000000000000000000000000',
  'openai-processing-ms': '512',
  'openai-project': 'proj_000000000000000000000000',
  'openai-version': '2020-10-01',
  'x-envoy-upstream-service-time': '521',
  'x-ratelimit-limit-requests': '10000',
  'x-ratelimit-limit-tokens': '200000',
  'x-ratelimit-remaining-requests': '9999',
  'x-ratelimit-remaining-tokens': '199988',
  'x-ratelimit-reset-requests': '8.64s',
  'x-ratelimit-reset-tokens': '3ms',
  'x-request-id': 'req_00000000000000000000000000000000',
  'strict-transport-security': 'max-age=31536000; includeSubDomains; preload',
  'cf-cache-status': 'DYNAMIC',
  'Set-Cookie': `__cf_bm=${'0'.repeat(43)}-1-1-${'0'.repeat(26)}; path=/; domain=.example.com; HttpOnly; Secure`,
  'X-Content-Type-Options': 'nosniff',
  Server: 'cloudflare',
  'CF-RAY': '0000000000000000-FRA',
  'alt-svc': 'h3=":443"; ma=86400',
};

/** As a list of names and values, as Node takes it. */
export const providerHeaderList: readonly string[] = Object.entries(providerHeaders).flat();

/** An argument of the stand-in provider. */
export const SHORT_HEADS = 'short-heads';

export function providerArguments({ shortHeads }: { readonly shortHeads: boolean }): string[] {
  return shortHeads ? [SHORT_HEADS] : [];
}

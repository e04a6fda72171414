/** The headers OpenAI puts on every reply, and that nobody behind a gateway should see. */
export function openAiHeaders(id: string, processingMs: number): Readonly<Record<string, string>> {
  return {
    'x-request-id': id,
    'openai-organization': 'simulated-org-7h2k',
    'openai-processing-ms': String(processingMs),
    'openai-version': '2020-10-01',
    'x-ratelimit-remaining-requests': '9999',
    server: 'cloudflare',
    'set-cookie': '__cf_bm=simulated; path=/; HttpOnly; Secure',
  };
}

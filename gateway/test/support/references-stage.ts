/** What the tests of references in calls share: a model for each dialect, and each format's way to show an image. */
import type { TestGateway } from './gateway.ts';

const everything = 'capabilities: [vision, tools, streaming]';

export const referencesConfig = `
server: { fetch_allow: [127.0.0.1] }
providers:
  openai: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key }
  compatible: { dialect: openai-compatible, base_url: SIMULATOR, api_key: simulator-key }
  claude: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key }
  gemini: { dialect: google, base_url: SIMULATOR_ORIGIN/v1beta, api_key: simulator-key }
  bedrock: { dialect: bedrock, base_url: SIMULATOR_ORIGIN, api_key: simulator-key }
limits: { batch_poll_ms: 50 }
models:
  on-openai: { ${everything}, batch: own, routes: [{ provider: openai, model: sim-chat }] }
  in-batches: { ${everything}, batch: provider, routes: [{ provider: openai, model: sim-chat }] }
  on-compatible: { ${everything}, routes: [{ provider: compatible, model: sim-chat-classic }] }
  on-claude: { ${everything}, routes: [{ provider: claude, model: sim-claude }] }
  on-gemini: { ${everything}, routes: [{ provider: gemini, model: sim-gemini }] }
  on-bedrock: { ${everything}, routes: [{ provider: bedrock, model: sim-claude }] }
  without-eyes: { capabilities: [streaming], routes: [{ provider: openai, model: sim-text-only }] }
  fails-over:
    ${everything}
    routes:
      - { provider: openai, model: sim-fault-error-500, priority: 1 }
      - { provider: gemini, model: sim-fault-error-503, priority: 2 }
      - { provider: claude, model: sim-claude, priority: 3 }
  sim-image: { endpoints: [images], routes: [{ provider: openai, model: sim-image }] }
prices:
  version: references-1
  models:
    sim-image: { per_image: 0.04 }
    on-openai: { input: 2, output: 10, batch_input: 1, batch_output: 5 }
    in-batches: { input: 2, output: 10, batch_input: 1, batch_output: 5 }
`;

export type AskFormat = 'chat' | 'responses' | 'messages';

export const paths: Readonly<Record<AskFormat, string>> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

/** Where the address of the image stands, by its name for the caller. */
export const imageParams: Readonly<Record<AskFormat, string>> = {
  chat: 'messages[0].content[1].image_url.url',
  responses: 'input[0].content[1].image_url',
  messages: 'messages[0].content[1].source.url',
};

export function askAbout(url: string, format: AskFormat, more: object = {}): object {
  const words = 'What is in this picture?';
  switch (format) {
    case 'chat': {
      const content = [
        { type: 'text', text: words },
        { type: 'image_url', image_url: { url, detail: 'low' } },
      ];
      return { messages: [{ role: 'user', content }], ...more };
    }
    case 'responses': {
      const content = [
        { type: 'input_text', text: words },
        { type: 'input_image', image_url: url, detail: 'low' },
      ];
      return { input: [{ role: 'user', content }], ...more };
    }
    case 'messages': {
      const content = [
        { type: 'text', text: words },
        { type: 'image', source: { type: 'url', url } },
      ];
      return { messages: [{ role: 'user', content }], max_tokens: 200, ...more };
    }
  }
}

const VERSION = { 'anthropic-version': '2023-06-01' };

export async function send(
  gateway: TestGateway,
  format: AskFormat,
  body: unknown,
  key = gateway.key,
): Promise<Response> {
  return await gateway.post(paths[format], body, { ...VERSION, authorization: `Bearer ${key}` });
}

/** The words of an answer, whole or streamed, put together loosely. */
export function wordsOf(answer: string): string {
  const pieces = answer.matchAll(/"(?:text|content|delta)":\s*"((?:[^"\\]|\\.)*)"/g);
  return [...pieces].map(([, piece]) => piece).join('');
}

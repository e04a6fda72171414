import { describe, expect, test } from 'vitest';
import { Problem } from '../kernel/problem.ts';
import { chatFormat } from '../text/formats/chat/chat.ts';
import { messagesFormat } from '../text/formats/messages/messages.ts';
import { responsesFormat } from '../text/formats/responses/responses.ts';
import type { TextFormat, TextFormatName } from '../text/text-format.ts';
import { checkBounded, checkBoundedImages, inputsBound, type PromptBound } from './check-bounded.ts';

const formats = { chat: chatFormat, responses: responsesFormat, messages: messagesFormat };

function check(name: TextFormatName, asked: object): PromptBound {
  const format = formats[name] as TextFormat<unknown>;
  const request = { ...(name === 'responses' ? { input: 'hi' } : { messages: [] }), ...asked };
  return checkBounded({ format: name, request, addresses: format.addresses(request), inline: undefined });
}

function rejected(run: () => unknown): Problem {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('not rejected');
}

const said = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
const items = (...content: object[]) => ({ input: [{ role: 'user', content }] });
const png = 'data:image/png;base64,iVBORw0KGgo=';
const far = 'https://example.com/a.png';

test.each<[TextFormatName, object, string, string?]>([
  ['chat', { tools: [{ type: 'function' }, { type: 'web_search' }] }, 'tools[1]'],
  ['chat', { web_search_options: {} }, 'web_search_options'],
  ['chat', { search_parameters: { mode: 'auto' } }, 'search_parameters'],
  ['chat', { plugins: [{ id: 'web' }] }, 'plugins'],
  ['chat', { prediction: { type: 'content', content: 'x' } }, 'prediction'],
  ['chat', said({ type: 'image_url', image_url: { url: far } }), 'messages[0].content[0].image_url.url'],
  [
    'chat',
    said({ type: 'image_url', image_url: { url: 'svc-file://a' } }),
    'messages[0].content[0].image_url.url',
  ],
  ['chat', said({ type: 'file', file: { file_data: far } }), 'messages[0].content[0].file.file_data'],
  ['chat', said({ type: 'text' }, { type: 'video_url', video_url: { url: far } }), 'messages[0].content[1]'],
  ['chat', said({ type: 'input_audio', input_audio: { data: far } }), 'messages[0].content[0]'],
  ['responses', items({ type: 'input_video', video_url: far }), 'input[0].content[0]'],
  ['messages', { tools: [{ type: 'web_search_20250305' }] }, 'tools[0]', 'Set tools[0].max_uses.'],
  ['messages', { tools: [{ type: 'web_fetch_20250910' }] }, 'tools[0]', 'Set tools[0].max_uses.'],
  ['messages', { tools: [{ type: 'code_execution_20250825', max_uses: 1 }] }, 'tools[0]', 'Leave it out.'],
  ['messages', { tools: [{ type: 'tool_search_tool_bm25_20251119' }] }, 'tools[0]'],
  ['messages', { mcp_servers: [{ type: 'url', url: 'https://example.com' }] }, 'mcp_servers[0].url'],
  ['messages', { context_management: { edits: [{ type: 'compact_20260112' }] } }, 'context_management'],
  [
    'messages',
    said({ type: 'document', source: { type: 'url', url: far } }),
    'messages[0].content[0].source.url',
  ],
  ['responses', { tools: [{ type: 'web_search_preview' }] }, 'tools[0]', 'Set max_tool_calls.'],
  ['responses', { tools: [{ type: 'image_generation' }], max_tool_calls: 3 }, 'tools[0]', 'Leave it out.'],
  ['responses', { tools: [{ type: 'mcp', server_url: far }], max_tool_calls: 3 }, 'tools[0].server_url'],
  ['responses', { tools: [{ type: 'namespace', tools: [{ type: 'file_search' }] }] }, 'tools[0].tools[0]'],
  ['responses', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }, 'tools[0]'],
  ['responses', { input: [{ type: 'tool_search_output', tools: [{ type: 'mcp' }] }] }, 'input[0].tools[0]'],
  ['responses', { context_management: [{ type: 'compaction' }] }, 'context_management'],
  ['responses', items({ type: 'input_file', file_url: far }), 'input[0].content[0].file_url'],
])('%s with %o is rejected for %s', (name, asked, param, instead = '') => {
  const problem = rejected(() => check(name, asked));
  expect(problem).toMatchObject({ code: 'unsupported_parameter', status: 400, param });
  expect(problem.detail).toContain(param);
  expect(problem.detail).toContain(instead);
});

const plain: PromptBound = {
  ...{ images: 0, imageBytes: 0, compressed: false, addedTokens: 2_000, passes: 1, tools: {} },
};

describe('what is bounded', () => {
  test.each<[TextFormatName, object, Partial<PromptBound>]>([
    ['chat', { tools: [{ type: 'function', function: { name: 'f' } }] }, {}],
    ['chat', { search_parameters: { mode: 'off' }, web_search_options: null, plugins: [] }, {}],
    ['chat', said({ type: 'text', text: 'a' }, { type: 'input_audio', input_audio: { data: 'a' } }), {}],
    ['chat', said({ type: 'image_url', image_url: { url: png } }), { images: 1, imageBytes: png.length }],
    [
      'chat',
      { messages: [{ role: 'assistant', images: [{ type: 'image_url', image_url: { url: png } }] }] },
      {
        ...{ images: 1, imageBytes: png.length },
      },
    ],
    [
      'chat',
      said({ type: 'image_url', image_url: { url: 'data:application/pdf;base64,AA' } }),
      { compressed: true },
    ],
    [
      'chat',
      said({ type: 'file', file: { file_data: 'data:application/pdf;base64,AA' } }),
      { compressed: true },
    ],
    [
      'chat',
      said({ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AA' } }),
      { compressed: true },
    ],
    [
      'messages',
      {
        tools: [
          { name: 'f', input_schema: {} },
          { type: 'custom', name: 'g' },
        ],
      },
      {},
    ],
    ['messages', { tools: [{ type: 'bash_20250124', name: 'bash' }] }, { addedTokens: 6_000 }],
    [
      'messages',
      { tools: [{ type: 'web_search_20250305', max_uses: 5 }] },
      {
        ...{ addedTokens: 6_000, passes: 6, tools: { web_search: 5 } },
      },
    ],
    ['messages', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }, {}],
    ['messages', said({ type: 'tool_result', content: [image('image/png')] }), { images: 1, imageBytes: 4 }],
    ['messages', said({ type: 'tool_result', content: 'done' }, { type: 'thinking', thinking: 'hm' }), {}],
    ['messages', said(image('application/pdf')), { compressed: true }],
    ['messages', said({ type: 'document', source: { type: 'base64', data: 'AA' } }), { compressed: true }],
    ['messages', said({ type: 'document', source: { type: 'text', data: 'text' } }), {}],
    [
      'messages',
      said({ type: 'document', source: { type: 'content', content: [image('image/png')] } }),
      {
        ...{ images: 1, imageBytes: 4 },
      },
    ],
    [
      'responses',
      { tools: [{ type: 'web_search' }, { type: 'code_interpreter' }], max_tool_calls: 2 },
      {
        ...{ addedTokens: 10_000, passes: 5, tools: { web_search: 2, code_interpreter: 2 } },
      },
    ],
    ['responses', { tools: [{ type: 'shell', environment: { type: 'local' } }] }, { addedTokens: 6_000 }],
    ['responses', items({ type: 'input_image', image_url: png }), { images: 1, imageBytes: png.length }],
    [
      'responses',
      { input: [{ type: 'image_generation_call', result: 'AAAA' }] },
      { images: 1, imageBytes: 4 },
    ],
    [
      'responses',
      { input: [{ type: 'computer_call_output', output: screenshot() }] },
      {
        ...{ images: 1, imageBytes: png.length },
      },
    ],
  ])('%s with %o adds %o', (name, asked, expected) => {
    expect(check(name, asked)).toEqual({ ...plain, ...expected });
  });
});

function image(kind: string): object {
  return { type: 'image', source: { type: 'base64', media_type: kind, data: 'AAAA' } };
}

function screenshot(): object {
  return { type: 'computer_screenshot', image_url: png };
}

test('the bytes of an image that is not in the body are counted', () => {
  const inline = { mark: '<mark>', pieces: [[Buffer.alloc(70_000), Buffer.alloc(30_000)]] };
  const request = said({ type: 'image_url', image_url: { url: 'data:image/png;base64,AA<mark>0000' } });
  const { imageBytes } = checkBounded({ format: 'chat', request, addresses: [], inline });
  expect(imageBytes).toBeGreaterThanOrEqual(100_000);
  expect(imageBytes).toBeLessThan(100_100);
});

test('images to be edited are counted, and rejected by address', () => {
  const file = { mediaType: 'image/png', bytes: Buffer.alloc(1) };
  expect(checkBoundedImages([file, file])).toEqual({ ...plain, images: 2 });
  const far = { url: 'svc-file://a', param: 'image[1]', types: [] };
  expect(rejected(() => checkBoundedImages([file, far]))).toMatchObject({ param: 'image[1]' });
});

test('each input of an embedding has tokens around it', () => {
  expect(inputsBound(100).addedTokens).toBe(2_400);
});

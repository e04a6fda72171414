import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readCatalog } from '../catalog/read-catalog.ts';
import { readConfigFile } from '../config/config-file.ts';
import { checkBatchLine } from './check-batch-line.ts';
import { batchModelsOf } from './find-batch-model.ts';
import { fixBatchLine } from './fix-batch-line.ts';

const demo = readFileSync(new URL('../../demo/tollgate.yaml', import.meta.url), 'utf8');
const catalog = readCatalog(readConfigFile(demo, { TOLLGATE_SIMULATOR_URL: 'http://localhost:1' }), 0);
const findModel = batchModelsOf(catalog, null);

const chat = '"url":"/v1/chat/completions"';
const messages = '"messages":[{"role":"user","content":"Hi"}]';
const line = (url: string, body: string, method = '"POST"') =>
  `{"custom_id":"a","method":${method},${url},"body":{${body}}}`;
const fixed = (text: string): string => fixBatchLine(Buffer.from(text), findModel).map(String).join('\n');

test.each([
  [
    'adds service_tier to text lines',
    line(chat, `"model":"sim-chat",${messages}`),
    line(chat, `"model":"sim-chat",${messages},"service_tier":"default"`),
  ],
  [
    'replaces another service_tier',
    line(chat, `"model":"sim-chat", "service_tier": "auto", ${messages}`),
    line(chat, `"model":"sim-chat", "service_tier": "default", ${messages}`),
  ],
  [
    'removes service_tier and output caps from embeddings',
    line(
      '"url":"/v1/embeddings"',
      '"model":"sim-embed","service_tier":"default","max_tokens":5,"input":"Hi"',
    ),
    line('"url":"/v1/embeddings"', '"model":"sim-embed","input":"Hi"'),
  ],
  [
    'removes delivery fields, and fields that are null and not allowed',
    line(
      chat,
      `"model":"sim-chat","stream":true,"stream_options":{},"store":false,"audio":null,${messages},"service_tier":"default"`,
    ),
    line(chat, `"model":"sim-chat",${messages},"service_tier":"default"`),
  ],
  [
    'renames the output cap of responses',
    line(
      '"url":"/v1/responses"',
      '"model":"sim-responses-only","input":"Hi","max_tokens":5,"service_tier":"default"',
    ),
    line(
      '"url":"/v1/responses"',
      '"model":"sim-responses-only","input":"Hi","service_tier":"default","max_output_tokens":5',
    ),
  ],
  [
    'renames the output cap of a newer chat model',
    line(chat, `"model":"sim-chat",${messages},"max_tokens":5,"service_tier":"default"`),
    line(chat, `"model":"sim-chat",${messages},"service_tier":"default","max_completion_tokens":5`),
  ],
  [
    'renames the output cap of an older chat model',
    line(chat, `"model":"sim-chat-classic",${messages},"max_completion_tokens":5,"service_tier":"default"`),
    line(chat, `"model":"sim-chat-classic",${messages},"service_tier":"default","max_tokens":5`),
  ],
  [
    'adds web_search to the tools of a research model',
    line(
      '"url":"/v1/responses"',
      '"model":"sim-research-1","input":"Hi","tools":[{"type":"function","name":"f"}],"service_tier":"default"',
    ),
    line(
      '"url":"/v1/responses"',
      '"model":"sim-research-1","input":"Hi","tools":[{"type":"function","name":"f"},{"type":"web_search"}],"service_tier":"default"',
    ),
  ],
  [
    'fixes the method',
    line(chat, `"model":"sim-chat",${messages},"service_tier":"default"`, '"post"'),
    line(chat, `"model":"sim-chat",${messages},"service_tier":"default"`),
  ],
])('fixing a line %s', (_, before, after) => {
  expect(fixed(before)).toBe(after);
  expect(checkBatchLine(Buffer.from(fixed(before)), findModel).faults).toEqual([]);
  expect(fixed(after)).toBe(after);
});

test('a line is split at lone carriage returns if each part is JSON', () => {
  const good = line(chat, `"model":"sim-chat",${messages},"service_tier":"default"`);
  expect(fixed(`${good}\r${good}\r`)).toBe(`${good}\n${good}`);
});

test.each([
  ['is valid already', line(chat, `"model" : "sim-chat",  ${messages},"service_tier":"default","n":1.0`)],
  ['is not JSON', '{"custom_id": '],
  ['is for another url', line('"url":"/v1/messages"', '"model":"sim-claude"')],
  [
    'would become a different request',
    line(chat, `"model":"sim-chat",${messages},"functions":[{}],"service_tier":"default"`),
  ],
])('a line is left unchanged that %s', (_, text) => {
  expect(fixed(text)).toBe(text);
});

/** Popular generators read the OpenAPI document, and what they write compiles and calls a running gateway. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ExampleStage } from '../support/example-stage.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A program of somebody who uses the generated code, strictly typed. */
const PROGRAM = `
import createTypedFetch from 'openapi-fetch';
import { client } from './hey-api/client.gen.ts';
import { createBatch, createChatCompletion, createFile, createMessage, listModels } from './hey-api/index.ts';
import type { components, paths } from './openapi-typescript.ts';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const request: components['schemas']['ChatRequest'] = {
  model: 'sim-chat',
  messages: [{ role: 'user', content: 'Reply with exactly: It works' }],
};
const results: Record<string, unknown> = {};

const typed = createTypedFetch<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
const { data } = await typed.POST('/v1/chat/completions', { body: request });
if (data?.object === 'chat.completion') {
  results.typedChat = data.choices[0]?.message.content;
  results.typedCost = data.estimated_cost?.currency;
}
const unknown = await typed.GET('/v1/batches/{id}', { params: { path: { id: 'batch_unknown' } } });
results.typedError = unknown.error?.type;

client.setConfig({ baseUrl, auth: key });
const chat = await createChatCompletion({ body: request });
results.chat = chat.data?.choices[0]?.message.content;
const message = await createMessage({
  headers: { 'vendor-version': '2023-06-01' },
  body: {
    model: 'sim-chat',
    max_tokens: 100,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Reply with exactly: It works' }] }],
  },
});
const [block] = message.data?.content ?? [];
results.message = block && 'text' in block ? block.text : null;
const models = await listModels();
results.hasModels = (models.data?.data.length ?? 0) > 0;
const line = {
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { ...request, service_tier: 'default' },
};
const file = await createFile({ body: { purpose: 'batch', file: new Blob([JSON.stringify(line)]) } });
results.file = file.data?.status ;
const wrong = await createBatch({
  headers: { 'Idempotency-Key': 'generated' },
  body: { input_file_id: file.data?.id ?? '', endpoint: '/v1/responses', completion_window: '24h' },
});
results.error = wrong.error && 'type' in wrong.error ? wrong.error.type : null;
console.log(JSON.stringify(results));
`;

const SETTINGS = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
  include: ['.'],
};

let demo: ExampleStage;
let folder: string;

beforeAll(async () => {
  demo = await ExampleStage.start();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-generators-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await demo.stop();
});

test('openapi-typescript and hey-api generate code that compiles, calls models and reads errors', async () => {
  const document = join(folder, 'openapi.json');
  writeFileSync(document, await (await fetch(`${demo.url}/openapi.json`)).text());
  await run(process.execPath, [join(ROOT, 'generators/generate.ts'), document, folder]);
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(SETTINGS));
  const [compiled, called] = await Promise.all([
    run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch((error: { stdout: string }) => error),
    run(process.execPath, [join(folder, 'program.ts'), demo.url, demo.gatewayKey]),
  ]);
  expect(compiled.stdout).toBe('');
  expect(JSON.parse(called.stdout)).toEqual({
    typedChat: 'It works',
    typedCost: 'unit',
    typedError: 'batch_not_found',
    chat: 'It works',
    message: 'It works',
    hasModels: true,
    file: 'processed',
    error: 'endpoint_mismatch',
  });
});

/** A batch file is checked in the browser by the rules of the upload: the same rows, reasons and advice. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BatchFileCheck } from '../../src/batch-files/check-batch-file.ts';
import { batchModelsOf } from '../../src/batch-files/find-batch-model.ts';
import { modelObject } from '../../src/catalog/catalog.ts';
import { readCatalog } from '../../src/catalog/read-catalog.ts';
import { checkBatchStream } from '../../src/client/check-batch-stream.ts';
import { RoughBatchEstimator } from '../../src/client/rough-batch-estimate.ts';
import { readConfigFile } from '../../src/config/config-file.ts';
import { BATCH_LINE_BYTES_MAX } from '../../src/contract/batch-lines/batch-limits.ts';

const demo = readFileSync(new URL('../../demo/tollgate.yaml', import.meta.url), 'utf8');
const catalog = readCatalog(readConfigFile(demo, { TOLLGATE_SIMULATOR_URL: 'http://localhost:1' }), 0);
const user = { spaceName: 'demo', models: null };
const models = catalog.list(user).map((model) => modelObject(model, user, 0));

const messages = [{ role: 'user', content: 'Hello' }];
const line = (id: unknown, body: object = {}, more: object = {}): string =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'sim-chat', messages, service_tier: 'default', ...body },
    ...more,
  });

const rows: ReadonlyArray<string | Uint8Array> = [
  `\uFEFF${line('first')}\r`,
  line('second', { max_completion_tokens: 5 }),
  '   ',
  line('second'),
  '{"custom_id": "a", ',
  `${line('cr-1')}\r${line('cr-2')}`,
  line('keys').replace('"method":"POST"', '"method":"POST","method":"POST"'),
  line('deep', { metadata: JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) }),
  Buffer.from('{"custom_id": "\xff"}', 'latin1'),
  '[]',
  line(7),
  line(''),
  line('unknown', {}, { extra: 1 }),
  line('get', {}, { method: 'GET' }),
  line('url', {}, { url: '/v1/images/generations' }),
  line('nobody', {}, { body: null }),
  line('tier', { service_tier: undefined }),
  line('stream', { stream: true }),
  line('cap', { max_output_tokens: 5 }),
  line('single', { model: 'sim-no-batch' }),
  line('only', { model: 'sim-responses-only' }),
  line('embed', { model: 'sim-embed' }),
  line('other', { model: 'sim-chat-classic' }),
  line('content', { messages: [] }),
  line('research', { model: 'sim-research-1', input: 'Hello' }, { url: '/v1/responses' }),
  line('long', { messages: [{ role: 'user', content: 'x'.repeat(BATCH_LINE_BYTES_MAX) }] }),
  line('x'.repeat(100)),
  line('x'.repeat(100)),
];

const file = Buffer.concat(rows.flatMap((row) => [Buffer.from(row), Buffer.from('\n')]));

/** Pieces that begin and end anywhere. */
async function* pieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield new Uint8Array(bytes.subarray(at, at + length));
}

test('a browser finds the same rows, for the same reasons and with the same advice, as the upload', async () => {
  const check = new BatchFileCheck({ findModel: batchModelsOf(catalog, user), badRowsMax: 100 });
  check.push(file);
  const server = check.end();
  expect(server.badRowCount).toBeGreaterThan(20);
  for (const length of [999_983, file.length]) {
    const { report } = await checkBatchStream(pieces(file, length), { models, badRowsMax: 100 });
    expect(report.badRows).toEqual(server.badRows);
    expect([report.rows, report.url, report.model?.code]).toEqual([
      server.rows,
      server.url,
      server.model?.code,
    ]);
  }
});

test('a model that does not exist is named', async () => {
  const bytes = Buffer.from(line('a', { model: 'nothing' }));
  const { report } = await checkBatchStream(pieces(bytes, 10), { models, badRowsMax: 100 });
  expect(report.badRows).toMatchObject([{ row: 1, reason: 'model_not_found', field: 'body.model' }]);
  expect(report.badRows[0]?.advice).toContain('"nothing"');
});

test('an output cap in the field that the model does not read is reported, and the row accepted', async () => {
  const bytes = Buffer.from(line('a', { max_tokens: 5 }));
  const { report, failing } = await checkBatchStream(pieces(bytes, 10), { models, badRowsMax: 100 });
  expect(report.badRowCount).toBe(0);
  expect(failing).toEqual([{ row: 1, sent: 'max_tokens', wanted: 'max_completion_tokens' }]);
});

test('the estimate adds up caps exactly, and is unknown if a row has none or the model has no price', async () => {
  const estimate = async (lines: readonly string[], priced = true) => {
    const estimator = new RoughBatchEstimator();
    const bytes = Buffer.from(lines.join('\n'));
    const { report } = await checkBatchStream(pieces(bytes, bytes.length), {
      ...{ models, badRowsMax: 100 },
      onRow: (facts) => estimator.add(facts),
    });
    return estimator.total(priced ? (report.model?.object.pricing ?? null) : null);
  };
  const capped = [line('a', { max_completion_tokens: 100 }), line('b', { max_completion_tokens: 11 })];
  // 1.25 units per million tokens of input, 5 per million of output.
  expect(await estimate(capped)).toMatchObject({
    outputTokensMax: 111,
    outputUnitsMax: '0.000555',
    uncappedRows: 0,
  });
  expect((await estimate(capped)).unitsMax).not.toBeNull();
  expect(await estimate([...capped, line('c')])).toMatchObject({ uncappedRows: 1, unitsMax: null });
  expect(await estimate(capped, false)).toMatchObject({ inputUnits: null, unitsMax: null });
});

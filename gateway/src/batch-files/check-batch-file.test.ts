/** The rules that concern all lines of a batch file together, and the edges of every limit. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readCatalog } from '../catalog/read-catalog.ts';
import { readConfigFile } from '../config/config-file.ts';
import { BatchFileCheck, type BatchFileReport } from './check-batch-file.ts';
import { batchModelsOf } from './find-batch-model.ts';

const demo = readFileSync(new URL('../../demo/tollgate.yaml', import.meta.url), 'utf8');
const catalog = readCatalog(readConfigFile(demo, { TOLLGATE_SIMULATOR_URL: 'http://localhost:1' }), 0);

function check(pieces: Iterable<string | Buffer>, badRowsMax = 100): BatchFileReport {
  const file = new BatchFileCheck({
    findModel: batchModelsOf(catalog, { spaceName: 'any', models: null }),
    badRowsMax,
  });
  for (const piece of pieces) file.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return file.end();
}
const bad = (report: BatchFileReport) => report.badRows.map(({ row, reason, field }) => [row, reason, field]);

const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }], service_tier: 'default' };
const line = (id: string, more: object = {}, url = '/v1/chat/completions') =>
  `${JSON.stringify({ custom_id: id, method: 'POST', url, body: { ...body, ...more } })}\n`;
const embedding = (id: string, input: unknown) =>
  `${JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/embeddings', body: { model: 'sim-embed', input } })}\n`;
function* times(count: number, make: (i: number) => string): Generator<string> {
  for (let i = 0; i < count; i++) yield make(i);
}

test('the report of a valid file has its rows, model and endpoint', () => {
  expect(check(times(3, (i) => line(`${i}`)))).toMatchObject({
    rows: 3,
    model: { code: 'sim-chat' },
    url: '/v1/chat/completions',
    endpoint: 'chat',
    embeddingInputs: 0,
    badRowCount: 0,
  });
});

test.each([
  ['nothing', ''],
  ['blank lines', '\n\r\n  \n'],
  ['a byte order mark', '\ufeff\n'],
])('empty_file: a file of %s is rejected', (_, text) => {
  expect(bad(check([text]))).toEqual([[1, 'empty_file', null]]);
});

test('a byte order mark, CRLF, blank lines and a missing last line end change nothing', () => {
  const text = `\ufeff${line('a').trimEnd()}\r\n\r\n \n${line('b').trimEnd()}`;
  expect(check([text])).toMatchObject({ rows: 2, badRowCount: 0 });
});

test('rows are counted as an editor counts them, blank lines included', () => {
  expect(bad(check([`\n${line('a')}\n{\n${line('b')}`]))).toEqual([[4, 'invalid_json', null]]);
});

test('invalid_json: a lone CR does not separate lines', () => {
  expect(bad(check([`${line('a').trimEnd()}\r${line('b')}`]))).toEqual([[1, 'invalid_json', null]]);
});

test('invalid_utf8 in one line does not affect the others', () => {
  expect(bad(check([line('a'), Buffer.from('{"custom_id":"\xff"}\n', 'latin1'), line('b')]))).toEqual([
    [2, 'invalid_utf8', null],
  ]);
});

test('line_too_long: 10,000,000 bytes are accepted, 10,000,001 are rejected, and the next line is read', () => {
  const short = line('a', { user: '' }).length - 1;
  const long = (bytes: number) => line('a', { user: 'x'.repeat(bytes - short) });
  expect(check([long(10_000_000), line('b')])).toMatchObject({ rows: 2, badRowCount: 0 });
  expect(bad(check([long(10_000_001), line('a')]))).toEqual([[1, 'line_too_long', null]]);
});

test('mixed_endpoint and mixed_model compare each row with the first valid row', () => {
  const responses = { input: 'Hello', messages: undefined };
  const report = check([
    '{}\n',
    line('a'),
    line('b', responses, '/v1/responses'),
    line('c', { model: 'sim-chat-classic' }),
    line('d'),
  ]);
  expect(bad(report)).toEqual([
    ...['custom_id', 'method', 'url', 'body'].map((field) => [1, 'missing_field', field]),
    [3, 'mixed_endpoint', 'url'],
    [4, 'mixed_model', 'body.model'],
  ]);
  expect([report.badRowCount, report.listedRowCount]).toEqual([3, 3]);
  expect(report.badRows[4]?.advice).toContain('/v1/chat/completions');
});

test('a row with another fault is compared too, and decides nothing for the rows after it', () => {
  const report = check([
    line('a', { model: 'sim-claude', stream: true }),
    line('b'),
    line('c', { model: 'sim-claude', stream: true }),
    line('d', { input: 'Hello', messages: undefined, store: true }, '/v1/responses'),
    line('e', { model: 'sim-claude' }, '/v1/x'),
  ]);
  expect(bad(report)).toEqual([
    [1, 'field_not_allowed', 'body.stream'],
    [3, 'field_not_allowed', 'body.stream'],
    [3, 'mixed_model', 'body.model'],
    [4, 'field_not_allowed', 'body.store'],
    [4, 'mixed_endpoint', 'url'],
    [5, 'unsupported_url', 'url'],
    [5, 'mixed_model', 'body.model'],
  ]);
});

test('duplicate_custom_id names the row that used the id first, however long the id is', () => {
  const long = 'x'.repeat(70_000);
  const report = check([line('a'), line('b'), line('a'), line(long), line(`${long}y`), line(long)]);
  expect(bad(report)).toEqual([
    [3, 'duplicate_custom_id', 'custom_id'],
    [6, 'duplicate_custom_id', 'custom_id'],
  ]);
  expect(report.badRows.map(({ advice }) => advice)).toEqual([
    'Row 1 has the same custom_id; give each row its own.',
    'Row 4 has the same custom_id; give each row its own.',
  ]);
});

test('custom ids that differ in case or in spaces are different', () => {
  expect(check([line('a'), line('A'), line('a ')]).badRowCount).toBe(0);
});

test('50,000 rows are accepted', () => {
  expect(check(times(50_000, (i) => line(`${i}`)))).toMatchObject({ rows: 50_000, badRowCount: 0 });
});

test('too_many_rows: 50,001 rows are rejected, and later rows are not checked', () => {
  const rows = function* () {
    yield* times(50_001, (i) => line(`${i}`));
    yield '{"never": "read"}\n';
  };
  expect(bad(check(rows()))).toEqual([[50_001, 'too_many_rows', null]]);
});

test('blank lines do not count as rows', () => {
  expect(check(times(50_000, (i) => `${line(`${i}`)}\n`)).badRowCount).toBe(0);
});

test('50,000 embedding inputs in the whole file are accepted', () => {
  const texts = Array.from({ length: 2_000 }, () => 'a');
  expect(check(times(25, (i) => embedding(`${i}`, texts)))).toMatchObject({
    embeddingInputs: 50_000,
    endpoint: 'embeddings',
    badRowCount: 0,
  });
});

test('too_many_embedding_inputs: 50,001 are rejected', () => {
  const texts = Array.from({ length: 2_000 }, () => 'a');
  const rows = times(26, (i) => embedding(`${i}`, i < 25 ? texts : 'a'));
  expect(bad(check(rows))).toEqual([[26, 'too_many_embedding_inputs', 'body.input']]);
});

test('a list of token ids is one embedding input, so 50,000 lists are accepted', () => {
  expect(check(times(50_000, (i) => embedding(`${i}`, [1, 2, 3]))).embeddingInputs).toBe(50_000);
});

test('every bad row is counted, and the first ones are listed up to the limit', () => {
  const report = check(
    times(250, () => '{}\n'),
    100,
  );
  expect(report.badRowCount).toBe(250);
  expect([...new Set(report.badRows.map(({ row }) => row))]).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
});

test('long lines that are parsed in slices give the same report, in the same order', async () => {
  const long = { metadata: Array.from({ length: 20_000 }, (_, i) => i) };
  const lines = [
    line('a'),
    line('b', long),
    line('a'),
    `${line('c', long).slice(0, -2)},}\n`,
    line('d', long),
    'no JSON',
  ];
  const file = Buffer.from(lines.join(''));
  const sliced = new BatchFileCheck({
    findModel: batchModelsOf(catalog, { spaceName: 'any', models: null }),
    badRowsMax: 100,
    inSlices: true,
  });
  for (let at = 0; at < file.length; at += 50_000) {
    sliced.push(file.subarray(at, at + 50_000));
    if (sliced.needsSettle) await sliced.settle();
  }
  const report = await sliced.endInSlices();
  expect(report).toEqual(check([file]));
  expect(bad(report)).toEqual([
    [3, 'duplicate_custom_id', 'custom_id'],
    [4, 'invalid_json', null],
    [6, 'invalid_json', null],
  ]);
});

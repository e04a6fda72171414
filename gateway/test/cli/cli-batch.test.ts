/** `tollgate batches check`: the rules of the upload on a file of one's own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatLine } from '../support/files-stage.ts';
import { runCli } from '../support/run-cli.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-test-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const check = (...args: string[]) => runCli(['batches', 'check', ...args], { cwd: folder });
const embedding = (input: unknown) =>
  `${JSON.stringify({ custom_id: 'e', method: 'POST', url: '/v1/embeddings', body: { model: 'sim-embed', input } })}\n`;

test('a valid file is summarised with its rows and maximum cost, and the exit code is 0', async () => {
  const path = file(
    'good.jsonl',
    [1, 2].map((i) => chatLine(`${i}`, { max_completion_tokens: 1_000 })).join(''),
  );
  const { code, stdout } = await check(path);
  expect(stdout).toContain('2 rows, ');
  expect(stdout).toContain('sim-chat on /v1/chat/completions');
  expect(stdout).toContain('The file would be accepted.');
  expect(stdout).toMatch(/input {3}\d+ tokens, counted locally: 0\.0000\d+ units/);
  expect(stdout).toContain('output  at most 2,000 tokens, the sum of the caps: 0.01 units');
  expect(stdout).toMatch(/total {3}at most 0\.0100\d+ units/);
  expect(code).toBe(0);
});

test('rows without an output cap are reported as missing from the estimate', async () => {
  const { stdout } = await check(file('uncapped.jsonl', chatLine('a')), '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    valid: true,
    estimate: { output_tokens_max: 0, rows_without_output_cap: 1, units_max: null },
  });
});

test('token ids are counted as they are, texts by a tokenizer', async () => {
  const { stdout } = await check(file('embed.jsonl', embedding([[1, 2, 3], [4]])), '--json');
  expect(JSON.parse(stdout)).toMatchObject({ estimate: { input_tokens: 4, input_units: '0.0000002' } });
});

test('bad rows are grouped by their fault, with advice, and the exit code is 1', async () => {
  const untiered = (i: number) => chatLine(`${i}`, { service_tier: undefined });
  const text = [...[1, 2, 3].map(untiered), chatLine('4'), untiered(5), chatLine('4'), 'oops\n'].join('');
  const { code, stdout } = await check(file('bad.jsonl', text));
  expect(stdout).toContain('6 rows would be rejected:');
  expect(stdout).toContain(
    'service_tier_required  body.service_tier  rows 1-3, 5\n    Add "service_tier": "default"',
  );
  expect(stdout).toContain('duplicate_custom_id  custom_id  row 6\n    Row 4 has the same custom_id');
  expect(stdout).toContain('invalid_json  row 7\n');
  expect(stdout).toContain('--fix');
  expect(stdout).not.toContain('estimate');
  expect(code).toBe(1);
});

test('rows that are accepted but fail when they run are reported before the upload', async () => {
  const text = chatLine('a', { max_tokens: 5 }) + chatLine('b', { temperature: 5 });
  const { code, stdout } = await check(file('warned.jsonl', text), '--no-estimate');
  expect(stdout).toContain('2 rows would be accepted, but fail when run:');
  expect(stdout).toContain(
    'body.max_tokens  row 1\n    sim-chat expects its output cap in max_completion_tokens',
  );
  expect(stdout).toContain('body.temperature  row 2');
  expect(code).toBe(0);
});

test('--fix writes a fixed copy beside the file, which is then valid, and leaves the file unchanged', async () => {
  const text = `\ufeff${chatLine('a', { service_tier: undefined, stream: true }).trimEnd()}\r\n\r\n${chatLine('b', { max_tokens: 7 })}`;
  const path = file('fix.jsonl', text);
  const { code, stdout } = await check(path, '--fix');
  expect(code).toBe(0);
  expect(stdout).toContain('fix.fixed.jsonl: 2 rows');
  expect(readFileSync(path, 'utf8')).toBe(text);
  const lines = readFileSync(join(folder, 'fix.fixed.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(
    lines.map(({ custom_id, body }) => [
      custom_id,
      body.service_tier,
      body.stream,
      body.max_completion_tokens,
    ]),
  ).toEqual([
    ['a', 'default', undefined, undefined],
    ['b', 'default', undefined, 7],
  ]);
  const again = await check(path, '--fix');
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already exists')]);
});

test('rows that cannot be fixed stay in the copy and are reported', async () => {
  const path = file('half.jsonl', `${chatLine('a', { service_tier: undefined })}oops\n`);
  const { code, stdout } = await check(path, '--fix');
  expect(code).toBe(1);
  expect(stdout).toContain('half.fixed.jsonl: 2 rows');
  expect(stdout.slice(stdout.indexOf('half.fixed'))).toContain(
    '1 row would be rejected:\n  invalid_json  row 2',
  );
});

test('a missing file is reported', async () => {
  expect(await check('none.jsonl')).toMatchObject({
    code: 1,
    stderr: 'tollgate: There is no file none.jsonl.\n',
  });
});

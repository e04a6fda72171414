/** Documents that state facts of the code are held to them. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { withAgents } from '../../scripts/describe-agents.ts';
import { withCommands } from '../../scripts/describe-commands.ts';
import { withFields } from '../../scripts/describe-fields.ts';
import { withReports } from '../../scripts/describe-organization.ts';
import { withRights } from '../../scripts/describe-rights.ts';
import { withRules } from '../../scripts/describe-rules.ts';
import { withTraits } from '../../scripts/describe-traits.ts';
import { batchMoves, settlementMoves } from '../../src/batches/batch-state.ts';
import { exampleFile } from '../../src/cli/admin/plan/example-file.ts';
import { rowReasons } from '../../src/contract/batch-lines/batch-limits.ts';
import { MIB } from '../../src/kernel/bytes.ts';
import { videoMoves } from '../../src/video/video-state.ts';
import { ownMetrics } from '../support/own-metrics.ts';
import { runCli } from '../support/run-cli.ts';
import { storedPaths } from '../support/stored-requests.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const documents = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

/** The first two columns of the table between two markers. */
function table(document: string, marker: string): string[][] {
  const part =
    new RegExp(`<!-- ${marker}:begin -->(.*?)<!-- ${marker}:end -->`, 's').exec(read(document))?.[1] ?? '';
  const rows = part.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, 3)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** The anchors of the headings of a document, as they are made on the pages of a repository. */
function anchorsOf(document: string): string[] {
  const text = read(document).replaceAll(/^```.*?^```$/gms, '');
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('administration.md has the rights of every operation, and every rule', () => {
  const document = read('docs/administration.md');
  expect(document, 'Run "npm run docs" to write the tables again.').toBe(withRules(withRights(document)));
});

test('organization-usage.md has every report, what it counts, and what it can be grouped by', () => {
  const document = read('docs/organization-usage.md');
  expect(document, 'Run "npm run docs" to write the table again.').toBe(withReports(document));
});

test('CONTRIBUTING.md names the files of a rule on keys, and they exist', () => {
  const section = read('CONTRIBUTING.md').split('## How to add a rule on keys')[1]?.split('\n## ')[0] ?? '';
  const files = [...section.matchAll(/^\| \d+ \| `([^`]+)`/gm)].map(([, file = '']) => file);
  expect(files.length, 'besides tests and fixtures').toBeLessThanOrEqual(12);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files)
    expect(
      ['', 'gateway/src/'].some((folder) =>
        existsSync(new URL(`../../../${folder}${file}`, import.meta.url)),
      ),
      file,
    ).toBe(true);
});

test('model-traits.md has what models take as the catalogue has it', () => {
  const document = read('docs/model-traits.md');
  expect(document, 'Run "npm run docs" to write the tables again.').toBe(withTraits(document));
});

test('formats.md says where every field arrives, as the test of all fields declares it', () => {
  const document = read('docs/formats.md');
  expect(document, 'Run "npm run docs" to write the tables again.').toBe(withFields(document));
});

test('agents.md has the settings of every coding agent as the console shows them', () => {
  const document = read('docs/agents.md');
  expect(document, 'Run "npm run docs" to write the settings again.').toBe(withAgents(document));
});

test('console.md shows a picture of every page, and all pictures together stay small', () => {
  const pages = [...read('console/src/app/pages.ts').matchAll(/path: '(\w+)'/g)].map((match) => match[1]);
  const shown = [...read('docs/console.md').matchAll(/\(pictures\/([\w-]+)\.light\.webp\)/g)];
  expect(shown.map((match) => match[1])).toEqual([...pages, 'operator']);
  const folder = join(root, 'docs/pictures');
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile());
  const bytes = files.reduce((sum, { name }) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes).toBeLessThan(2 * MIB);
});

test('operating.md lists every metric of our own, and no other', () => {
  const names = ownMetrics()
    .registry.getMetricsAsArray()
    .map((metric) => metric.name);
  expect(
    table('docs/operating.md', 'metrics')
      .map(([name]) => name)
      .sort(),
  ).toEqual(names.sort());
});

test('batches.md lists every reason to refuse a row, and no other', () => {
  expect(table('docs/batches.md', 'reasons').map(([name]) => name)).toEqual([...rowReasons]);
});

test('formats.md lists every field that names something stored at a provider, and no other', () => {
  const listed = table('docs/formats.md', 'stored').flatMap(([format, fields = '']) =>
    fields.split(', ').map((field) => `${format} ${field}`),
  );
  // Tools and blocks inside of others are not listed again.
  const shown = storedPaths.map(({ format, path }) => {
    const tools = path
      .replace(/^(?:input\[\]\.)?(?:tools\[\]\.)+/, 'tools[].')
      .replace('].x.any_id', ']…_id');
    return `${format} ${tools.replace(/(content\[\])(?:\.(?:source\.)?content\[\])+/, '$1')}`;
  });
  expect(listed.toSorted()).toEqual([...new Set(shown)].toSorted());
});

test.each([
  ['outcomes', 'outcome'],
  ['usage-sources', 'usage_source'],
])('states.md lists the %s that the database allows', (marker, column) => {
  const migration = read('gateway/src/database/migrations/0031_baseline.sql');
  const allowed =
    new RegExp(`${column} text not null check \\(${column} in \\(([^)]*)\\)`).exec(migration)?.[1] ?? '';
  const listed = table('docs/states.md', marker).map(([name]) => `'${name}'`);
  expect(listed.join(', ')).toBe(allowed);
});

test.each([
  ['batch-moves', batchMoves],
  ['settlement-moves', settlementMoves],
  ['video-moves', videoMoves],
])('states.md lists the %s that the code allows', (marker, moves) => {
  const listed = table('docs/states.md', marker).map(([from, to]) => [
    from,
    (to ?? '').split(', ').filter(Boolean),
  ]);
  expect(Object.fromEntries(listed)).toEqual(moves);
});

describe.each(documents)('%s', (document) => {
  test('has no marks of a merge left in it', () => {
    expect(read(document)).not.toMatch(/^(?:<{7} |={7}$|>{7} )/m);
  });

  test('links only to what exists', () => {
    for (const [, link = '', anchor] of read(document).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const target = link === '' ? document : join(dirname(document), link);
      expect(existsSync(join(root, target)), target).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(target), `${target}#${anchor}`).toContain(anchor);
    }
  });

  test('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const [, name] of read(document).matchAll(/npm run ([a-z:]+(?:-[a-z]+)*)/g))
      expect(scripts).toHaveProperty([name as string]);
  });
});

test.each(['README.md', 'docs/README.md'])('%s names only commands that exist', async (document) => {
  const { stdout } = await runCli(['--help']);
  const named = [...read(document).matchAll(/npx tollgate ([a-z]+)/g)].map((match) => match[1] as string);
  expect(named.length).toBeGreaterThan(3);
  for (const name of named) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
});

test('command-line.md lists every command with its arguments and what it does, and no other', async () => {
  const document = read('docs/command-line.md');
  expect(document, 'Run "npm run docs" to write the table again.').toBe(await withCommands(document));
});

test('administration.md shows the example that "tollgate plan --example" prints', () => {
  const part = /<!-- example:begin -->\n```yaml\n(.*?)```\n<!-- example:end -->/s;
  expect(part.exec(read('docs/administration.md'))?.[1]).toBe(exampleFile);
});

test('reliability.md names only tests that exist', () => {
  const files = readdirSync(join(root, 'gateway'), { recursive: true, encoding: 'utf8' });
  for (const [, name] of read('docs/reliability.md').matchAll(/`([a-z./*-]+\.test\.ts)`/g)) {
    const pattern = new RegExp(
      `(^|/)${(name as string).replaceAll('.', '\\.').replaceAll('*', '[a-z.-]*')}$`,
    );
    expect(
      files.some((file) => pattern.test(file) && !file.includes('node_modules')),
      name,
    ).toBe(true);
  }
});

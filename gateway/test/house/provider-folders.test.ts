/**
 * Every provider folder has the same files, so that a reader who knows one knows all. One file of a folder does
 * I/O: `<name>-provider.ts`. All others translate and are pure.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../src/providers');

/** The folders that translate text; `chat` and `responses` are the two dialects of OpenAI. */
const TEXT_FOLDERS = ['anthropic', 'bedrock', 'google', 'openai/chat', 'openai/responses'];
/** What the catalogue describes needs no translation of text. */
const OTHER_PROVIDERS = ['http-video'];

/** In the folder of the dialect. */
const TEXT_FILES = [
  'map-finish-reason.ts',
  'read-answer.ts',
  'read-stream.ts',
  'read-usage.ts',
  'write-request.ts',
];
/** In the folder of the provider, which is the one of the dialect or the one around it. */
const PROVIDER_FILES = ['map-error.ts'];
const FIXTURES_MIN = 10;

/** Modules that reach the network or the disk; types of ours that are not in net/ are no I/O. */
const IO_IMPORT =
  /^import (?:(?!type )[^;]*?from '((?:\.\.\/)+(?:provider-calls|provider-files)\.ts|node:(?:net|tls|http|https|fs|dns|child_process)[^']*)'|[^;]*?from '((?:\.\.\/)+net\/[^']+)');/gm;
/** The signer only computes; it is loaded late because it is large. */
const LAZY_IMPORT = /\bimport\('(?!@smithy\/signature-v4')([^']+)'\)/g;

/** Paths below `providers/`, with their texts. */
type Sources = ReadonlyMap<string, string>;

function inspectFolders(sources: Sources, textFolders: readonly string[]): string[] {
  const names = [...sources.keys()];
  const providers = new Set(
    names.filter((name) => name.includes('/')).map((name) => name.split('/')[0] as string),
  );
  const unknown = [...providers].filter(
    (name) => !OTHER_PROVIDERS.includes(name) && !textFolders.some((folder) => folder.split('/')[0] === name),
  );
  return [
    ...unknown.map((name) => `${name}/ is in no list of provider-folders.test.ts`),
    ...textFolders.flatMap((folder) => missingFiles(folder, sources)),
    ...[...providers].flatMap((name) => {
      return sources.has(`${name}/${name}-provider.ts`) ? [] : [`${name}/${name}-provider.ts is missing`];
    }),
    ...foldersOf(names).flatMap((folder) => tooManyProviders(folder, names)),
    ...[...sources].flatMap(([name, text]) => impureImports(name, text)),
  ];
}

function missingFiles(folder: string, sources: Sources): string[] {
  const provider = folder.split('/')[0] as string;
  const wanted = [
    ...TEXT_FILES.map((file) => `${folder}/${file}`),
    ...PROVIDER_FILES.map((file) => `${provider}/${file}`),
  ];
  const fixtures = [...sources.keys()].filter((name) => name.startsWith(`${folder}/fixtures/`)).length;
  return [
    ...wanted.filter((file) => !sources.has(file)).map((file) => `${file} is missing`),
    ...(fixtures < FIXTURES_MIN ? [`${folder}/fixtures has ${fixtures} of ${FIXTURES_MIN} transcripts`] : []),
  ];
}

function foldersOf(names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => name.includes('/')).map((name) => path.posix.dirname(name)))];
}

function tooManyProviders(folder: string, names: readonly string[]): string[] {
  const inside = names.filter((name) => path.posix.dirname(name) === folder && isProviderFile(name));
  return inside.length > 1 ? [`${folder} has more than one file that does I/O: ${inside.join(', ')}`] : [];
}

function impureImports(name: string, text: string): string[] {
  if (!name.includes('/') || isProviderFile(name) || !/(?<!\.test)\.ts$/.test(name)) return [];
  const found = [...text.matchAll(IO_IMPORT), ...text.matchAll(LAZY_IMPORT)];
  return found.map((match) => `${name} imports ${match[1] ?? match[2]}: only the -provider.ts file does I/O`);
}

function isProviderFile(name: string): boolean {
  return /-provider\.ts$/.test(name);
}

function readSources(folder: string): Sources {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((file) => path.relative(folder, path.join(file.parentPath, file.name)));
  return new Map(
    paths.map((file) => [
      file.split(path.sep).join('/'),
      file.endsWith('.ts') ? readFileSync(path.join(folder, file), 'utf8') : '',
    ]),
  );
}

describe('provider folders', () => {
  it('have the same files, and one of them does I/O', () => {
    const findings = inspectFolders(readSources(root), TEXT_FOLDERS);
    if (findings.length > 0) expect.fail(`\n${findings.join('\n')}\n`);
  });
});

describe('the check of provider folders', () => {
  const complete = new Map<string, string>([
    ...[...TEXT_FILES, ...PROVIDER_FILES].map((file): [string, string] => [`acme/${file}`, '']),
    ...Array.from({ length: FIXTURES_MIN }, (_, i): [string, string] => [`acme/fixtures/${i}.json`, '']),
    ['acme/acme-provider.ts', "import { UpstreamClient } from '../../net/upstream.ts';"],
  ]);
  const inspect = (changes: Array<[string, string | null]>): string[] => {
    const sources = new Map(complete);
    for (const [file, text] of changes) {
      if (text === null) sources.delete(file);
      else sources.set(file, text);
    }
    return inspectFolders(sources, ['acme']);
  };

  it('accepts a folder with every file', () => {
    expect(inspect([])).toEqual([]);
    const types = "import type { ProviderCalls } from '../provider-calls.ts';";
    expect(inspect([['acme/read-answer.ts', types]])).toEqual([]);
    expect(
      inspect([['acme/batches/acme-batch-provider.ts', "import { a } from '../../provider-calls.ts';"]]),
    ).toEqual([]);
  });

  it.each<[string, Array<[string, string | null]>, string]>([
    ['a missing file', [['acme/read-usage.ts', null]], 'acme/read-usage.ts is missing'],
    ['a missing error map', [['acme/map-error.ts', null]], 'acme/map-error.ts is missing'],
    ['a missing I/O file', [['acme/acme-provider.ts', null]], 'acme/acme-provider.ts is missing'],
    ['too few transcripts', [['acme/fixtures/0.json', null]], 'acme/fixtures has 9 of 10 transcripts'],
    [
      'a second I/O file',
      [['acme/other-provider.ts', '']],
      'acme has more than one file that does I/O: acme/acme-provider.ts, acme/other-provider.ts',
    ],
    [
      'I/O in a translator',
      [
        [
          'acme/read-answer.ts',
          "import { a } from './b.ts';\nimport {\n  UpstreamClient,\n} from '../../net/upstream.ts';",
        ],
      ],
      'acme/read-answer.ts imports ../../net/upstream.ts: only the -provider.ts file does I/O',
    ],
    [
      'a type of net/ in a translator',
      [['acme/read-answer.ts', "import type { Body } from '../../net/collect-body.ts';"]],
      'acme/read-answer.ts imports ../../net/collect-body.ts: only the -provider.ts file does I/O',
    ],
    [
      'a file read by a translator',
      [['acme/deep/write-job.ts', "import { readFileSync } from 'node:fs';"]],
      'acme/deep/write-job.ts imports node:fs: only the -provider.ts file does I/O',
    ],
    [
      'a package loaded by a translator',
      [['acme/write-request.ts', "const { get } = await import('@acme/client');"]],
      'acme/write-request.ts imports @acme/client: only the -provider.ts file does I/O',
    ],
    [
      'a folder in no list',
      [['other/other-provider.ts', '']],
      'other/ is in no list of provider-folders.test.ts',
    ],
  ])('reports %s', (_, changes, message) => {
    expect(inspect(changes)).toEqual([message]);
  });
});

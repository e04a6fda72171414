/**
 * Checks that the code keeps to the plan of the house (support/house-plan.ts). Imports only go down, and every
 * folder is in the plan. When a test here fails, move the code to where it belongs, or change the plan in the
 * same commit so that reviewers see it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PURE, ROOMS } from '../support/house-plan.ts';
import { readCode } from '../support/read-code.ts';

/** Packages that have one door. */
const ONE_DOOR: Record<string, string> = {
  pg: 'database',
  '@electric-sql/pglite': 'database',
  '@redis/client': 'redis',
  '@aws-sdk/client-s3': 'blobs',
  '@aws-sdk/credential-provider-node': 'providers',
  '@smithy/signature-v4': 'providers',
  'openid-client': 'access',
  jose: 'access',
  nodemailer: 'alerts',
};

/** What of Node a pure room may use: nothing that waits, reads, writes, or answers differently twice. */
const PURE_MODULES = ['node:assert', 'node:buffer', 'node:string_decoder', 'node:url', 'node:util'];
const IMPURE =
  /\b(?:fetch\s*\(|process\.|console\.|crypto\.|clock\.|systemClock\b|newId\b|randomBase62\b|randomFraction\b)/g;

/** Time and chance are passed in; only these may take them from the machine. */
const CLOCK =
  /\bDate\.now\b|\bnew\s+Date\s*\(\s*\)|\bsetTimeout\b|\bsetInterval\b|\bMath\.random\b|\bperformance\.now\b/g;
const CLOCK_ROOMS = ['app', 'cli', 'simulator'];
const CLOCK_FILES = ['gateway/src/kernel/time.ts', 'gateway/src/kernel/ids.ts'];

/** SQL as it is written: all lower or all upper case, at the start of a string. "Select a model" is prose. */
const SQL_TEXT =
  /^[\s(]*(?:select\s[\s\S]*\sfrom\s|insert\s+into\s|delete\s+from\s|update\s+\S+\s+set\s|SELECT\s[\s\S]*\sFROM\s|INSERT\s+INTO\s|DELETE\s+FROM\s|UPDATE\s+\S+\s+SET\s)/;
const SQL_TAG = /\bsql\s*(?:<[^`()]*>\s*)?(?=`)/g;

const LINES_MAX = 300;
/** They only build objects and connect them, which reads best in one place. */
const COMPOSITION = /^gateway\/src\/app\/(?:gateway-app|serve|compose-[a-z-]+)\.ts$/;
const COMPOSITION_LINES_MAX = 350;
const EMPTY_WORDS = ['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'managers'];
const KEBAB_FILE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*\.tsx?$/;
const KEBAB_FOLDER = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Two programs that import each other's wire only; the stand-in speaks the words of the providers it stands in for. */
const NAMES_OF_THEIR_OWN = ['simulator'];
const RULES = {
  layers: 'imports go down the table of layers, and every folder is in it',
  pure: 'pure folders use no I/O, no clock and no randomness',
  doors: 'a package with one door is imported only there',
  clock: 'time and chance come from kernel/time.ts and kernel/ids.ts',
  sql: 'SQL stands in *.store.ts and in database/',
  json: 'stores write JSON with json() of database/sql.ts, which leaves out what no column takes',
  casts: 'the console casts nothing to any or never, so that a wrong address does not compile',
  spreads: 'fields stand in the object itself, not in a literal that is spread into it to save lines',
  exports: 'nothing is exported as default',
  names: 'files have kebab-case names that say something',
  size: `a file has at most ${LINES_MAX} lines, one that composes the product ${COMPOSITION_LINES_MAX}`,
  cycles: 'files do not import each other in a circle',
  once: 'a name is exported by one file only, so that it means one thing in the whole code base',
} as const;
type Rule = keyof typeof RULES;

interface SourceFile {
  /** From the root of the project, with slashes: `gateway/src/json/parse-json.ts`. */
  readonly path: string;
  readonly text: string;
}
interface Finding {
  readonly rule: Rule;
  readonly message: string;
}

const root = path.resolve(import.meta.dirname, '../../..');
const house = ['gateway/src', 'gateway/simulator', 'console'].flatMap(readSources);

describe('the house', () => {
  const findings = inspect(house);
  for (const rule of Object.keys(RULES) as Rule[]) {
    it(RULES[rule], () => {
      const messages = findings.filter((finding) => finding.rule === rule).map(({ message }) => message);
      if (messages.length > 0) expect.fail(`\n${messages.join('\n')}\n`);
    });
  }

  it('the check has seen the files and their imports', () => {
    const json = house.find((file) => file.path === 'gateway/src/json/parse-json.ts');
    expect(json && importsOf(json).map(({ target }) => target)).toContain(
      'gateway/src/json/json-problems.ts',
    );
  });
});

describe('the check bites', () => {
  const src = (file: string): string => `gateway/src/${file}`;
  const web = (file: string): string => `console/src/${file}`;
  const bad: Array<[Rule, string, string, string]> = [
    [
      'layers',
      src('kernel/a.ts'),
      "import { b } from '../contract/b.ts';",
      "a.ts:1 imports '../contract/b.ts'",
    ],
    ['layers', src('contract/a.ts'), "\nimport type { B } from '../http/b.ts';", 'a.ts:2 imports'],
    ['layers', src('text/a.ts'), "import {\n  b,\n  c as d,\n} from '../catalog/b.ts';", 'catalog'],
    ['layers', src('pricing/a.ts'), "import * as b from '../text/b.ts';", 'text'],
    ['layers', src('pricing/a.ts'), "import b, { type C } from '../database/b.ts';", 'database'],
    ['layers', src('database/a.ts'), "import '../jobs/b.ts';", 'jobs'],
    ['layers', src('net/a.ts'), "export { b } from '../telemetry/b.ts';", 'telemetry'],
    ['layers', src('blobs/a.ts'), "export * from '../net/b.ts';", 'net'],
    ['layers', src('ledger/a.ts'), "const b = await import('../metering/b.ts');", 'metering'],
    ['layers', src('access/a.ts'), "let b: import('../ledger/b.ts').B;", 'ledger'],
    ['layers', src('batches/a.ts'), 'const b = await import(`../video/b.ts`);', 'video'],
    ['layers', src('calls/a.ts'), 'const b = await import(name);', 'is not a plain string'],
    ['layers', src('http/deep/er/a.ts'), "import { b } from '../../../app/b.ts';", 'app'],
    ['layers', src('http/a.ts'), "import { b } from '../database/b.ts';", 'database'],
    ['layers', src('http/a.ts'), "import { b } from '../providers/openai/b.ts';", 'providers'],
    ['layers', src('media/a.ts'), "import { b } from '../batch-files/b.ts';", 'batch-files'],
    ['layers', src('metering/a.ts'), "import { b } from '../reports/b.ts';", 'reports'],
    ['layers', src('providers/openai/a.ts'), "import { b } from '../../database/b.ts';", 'database'],
    ['layers', src('logs/a.ts'), "import { b } from '../calls/b.ts';", 'calls'],
    ['layers', src('app/a.ts'), "import { b } from '../cli/b.ts';", 'cli'],
    ['layers', src('http/a.ts'), "import { b } from '../../simulator/b.ts';", 'simulator'],
    ['layers', src('kernel/a.ts'), "import { b } from '../../test/b.ts';", 'out of the house'],
    ['layers', src('attic/a.ts'), 'export const a = 1;', 'add it to the table'],
    ['layers', src('a.ts'), 'export const a = 1;', 'add it to the table'],
    ['layers', src('kernel/a.ts'), "import { b } from '../attic/b.ts';", 'attic'],
    ['layers', web('app/a.tsx'), "import { b } from '../../../gateway/src/ledger/b.ts';", 'ledger'],
    ['layers', web('app/a.tsx'), "import { b } from 'tollgate/src/http/b.ts';", 'http'],
    ['layers', web('text/a.ts'), "import { b } from '../api/b.ts';", 'console/src/api'],
    ['layers', web('parts/a.tsx'), "import { b } from '../session/b.ts';", 'console/src/session'],
    ['layers', web('addresses/a.ts'), "import { b } from '../session/b.ts';", 'console/src/session'],
    ['layers', web('topics/a/a.ts'), "import { b } from '../../pages/b/b.ts';", 'console/src/pages'],
    ['layers', web('pages/a/a.tsx'), "import { b } from '../../app/b.ts';", 'console/src/app'],
    ['layers', web('pages/a/a.tsx'), "const b = import('../b/b.tsx');", 'do not import each other'],
    ['layers', web('topics/a/deep/a.ts'), "import { b } from '../../b/b.ts';", 'do not import each other'],
    ['layers', web('docs-page/a.ts'), "import { b } from '../text/b.ts';", 'console/src/text'],
    ['layers', web('attic/a.tsx'), 'export const a = 1;', 'add it to the table'],
    ['layers', web('a.tsx'), 'export const a = 1;', 'add it to the table'],
    ['layers', 'console/build/a.ts', "import { b } from '../src/api/b.ts';", 'console/src/api'],
    ['layers', 'gateway/simulator/a.ts', "import { b } from '../src/contract/b.ts';", 'contract'],
    ['pure', src('pricing/a.ts'), "import { readFileSync } from 'node:fs';", "'node:fs'"],
    ['pure', src('text/a.ts'), "import { randomUUID } from 'crypto';", "'crypto'"],
    ['pure', src('catalog/a.ts'), "export const a = () => fetch('x');", 'fetch('],
    ['pure', src('text/a.ts'), "import { newId } from '../kernel/ids.ts';", 'newId'],
    ['doors', src('ledger/a.ts'), "import pg from 'pg';", "'pg'"],
    ['doors', src('metering/a.ts'), "const b = await import('@redis/client');", 'redis'],
    ['doors', src('cli/a.ts'), "const b = await import('@electric-sql/pglite/worker');", 'database'],
    ['clock', src('ledger/a.ts'), '\n\nexport const now = Date.now;', 'a.ts:3 uses Date.now'],
    ['clock', src('http/a.ts'), `const a = \`\${new Date()}\`;`, 'new Date()'],
    ['clock', src('net/a.ts'), 'setTimeout(work, 5);', 'setTimeout'],
    ['clock', src('net/a.ts'), 'globalThis.setInterval(work, 5);', 'setInterval'],
    ['clock', src('net/a.ts'), 'const a = Math.random();', 'Math.random'],
    ['clock', src('kernel/framing.ts'), 'const a = performance.now();', 'performance.now'],
    ['sql', src('ledger/charge.ts'), "const a = 'select id from charges';", 'charge.ts:1'],
    ['sql', src('ledger/charge.ts'), `const a = \`\n  INSERT INTO charges VALUES (\${id})\`;`, 'INSERT INTO'],
    ['sql', src('ledger/charge.ts'), 'await tx(sql`update x`);', 'sql`'],
    ['sql', src('cli/a.ts'), 'await db.run(sql<Row>`delete`);', 'sql`'],
    ['json', src('ledger/a.store.ts'), 'const a = JSON.stringify(b);', 'JSON.stringify'],
    ['casts', web('pages/a/a.tsx'), 'const a = <Link params={{ space } as never} />;', 'as never'],
    ['spreads', src('net/a.ts'), 'const a = {\n  ...{ b, c },\n};', 'a.ts:2'],
    ['exports', src('net/a.ts'), 'export default function a() {}', 'default'],
    ['exports', src('net/a.ts'), 'const a = 1;\nexport { a as default };', 'a.ts:2'],
    ['names', src('net/utils.ts'), '', 'utils'],
    ['names', src('net/string-helpers.ts'), '', 'helpers'],
    ['names', src('net/common/a.ts'), '', 'common'],
    ['names', src('net/key-manager.test.ts'), '', 'manager'],
    ['names', src('net/index.ts'), '', 'index'],
    ['names', src('net/retryPolicy.ts'), '', 'kebab-case'],
    ['names', src('net/Retry.ts'), '', 'kebab-case'],
    ['names', src('net/Deep/a.ts'), '', 'kebab-case'],
    ['size', src('net/a.ts'), 'a;\n'.repeat(301), '301 lines'],
    ['size', src('app/compose-routes.ts'), 'a;\n'.repeat(351), '351 lines'],
  ];

  it.each(bad)('%s: %s with %j is reported', (rule, file, text, words) => {
    const findings = inspect([{ path: file, text }]);
    expect(findings.map((finding) => finding.rule)).toEqual([rule]);
    expect(findings[0]?.message).toContain(words);
    expect(findings[0]?.message).toContain(file);
    expect(findings[0]?.message).not.toContain('\n');
  });

  it('a circle of imports is reported once, with its way round', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => src(`net/${name}.ts`));
    const circle = [
      { path: a as string, text: "import { b } from './b.ts';" },
      { path: b as string, text: "import type { c } from './c.ts';" },
      { path: c as string, text: "export * from './a.ts';" },
    ];
    expect(inspect(circle).map(({ message }) => message)).toEqual([
      `${a} → ${b} → ${c} → ${a}: ${RULES.cycles}`,
    ]);
    expect(inspect([{ path: src('net/a.ts'), text: "import './a.ts';" }])).toHaveLength(1);
  });

  it.each([
    'export interface Route {}',
    'export type Route = string;',
    'export class Route {}',
    'export abstract class Route {}',
    'export async function Route() {}',
    'export function* Route() {}',
    'export const Route = 1;',
    'export const { a, Route } = b;',
    'export enum Route {}',
    'const Route = 1;\nexport { Route };',
    'const a = 1;\nexport { a as Route };',
    'export {\n  type a,\n  type b as Route,\n};',
  ])('a name that another file exports too is reported: %j', (text) => {
    const [a, b] = [src('catalog/a.ts'), src('http/routes/b.ts')];
    const other = 'export class Route {}';
    const findings = inspect([
      { path: a, text },
      { path: b, text: other },
    ]);
    expect(findings).toEqual([{ rule: 'once', message: `${a} and ${b} both export Route: ${RULES.once}` }]);
  });

  it('a name of the console that a room it can see exports too is reported', () => {
    const [a, b] = [web('parts/a.tsx'), src('contract/b.ts')];
    const files = [a, b].map((file) => ({ path: file, text: 'export const Route = 1;' }));
    expect(inspect(files).map(({ rule }) => rule)).toEqual(['once']);
  });

  it.each([
    ['a schema and its type', 'export const Route = 1;\nexport type Route = string;', ''],
    ['overloads', 'export function a(): void;\nexport function a(b?: string): void {}', ''],
    ['a name that is not exported', 'export const Route = 1;', 'const Route = 1;\n// export const Route'],
    ['a name in a text', 'export const Route = 1;', 'const a = `\nexport const Route = 1;`;'],
    ['a name that is handed on', 'export const Route = 1;', "export { Route } from './a.ts';"],
  ])('%s is no second name', (_, text, other) => {
    const files = [
      { path: src('net/a.ts'), text },
      { path: src('net/b.ts'), text: other },
      { path: 'gateway/simulator/c.ts', text: 'export const Route = 1;' },
      { path: src('net/d.test.ts'), text: 'export const Route = 1;' },
      { path: web('api/e.ts'), text: 'export const Route = 1;' },
    ];
    expect(inspect(files)).toEqual([]);
  });

  it.each([
    [src('kernel/a.ts'), "import { b } from './b.ts';\nimport { hash } from 'node:crypto';"],
    [src('http/a.ts'), "import { b } from '../batches/b.ts';\nimport { c } from '../telemetry/c.ts';"],
    [src('cli/a.ts'), "import { b } from '../app/b.ts';\nconst t = Date.now();\nsetTimeout(x, 1);"],
    [src('text/a.ts'), "import { inspect } from 'node:util';\nimport { b } from '../pricing/b.ts';"],
    [
      src('net/a.ts'),
      "// import { b } from '../http/b.ts'; Date.now()\n/* setTimeout */\nconst a = 'Date.now';",
    ],
    [src('net/a.ts'), "const a = /['\"`]\\/\\//; // Date.now\nconst b = 4 / 2; const c = 'Math.random' / 2;"],
    [src('net/a.ts'), `const a = \`import b from "../http/b.ts" \${\`Date.now \${x}\`}\`;`],
    [src('net/a.ts'), 'const at = new Date(instant); clock.after(5, setTimeoutMs);'],
    [src('net/a.ts'), "throw new Error('Select a model from the list; update your key set.');"],
    [src('ledger/ledger.store.ts'), "import { sql } from '../database/sql.ts';\nconst a = sql`select 1`;"],
    [src('database/migrate.ts'), "import pg from 'pg';\nawait db.query('select a from b');"],
    [src('net/a.test.ts'), `import { b } from '../app/b.ts';\nDate.now();\n${'a;\n'.repeat(400)}`],
    [src('text/fixtures/transcript.ts'), 'a;\n'.repeat(400)],
    [src('tokens/table.generated.ts'), 'a;\n'.repeat(400)],
    [
      web('pages/a/deep/page.tsx'),
      "import { b } from '../c.ts';\nimport { d } from '../../../topics/d/d.ts';\nimport { e } from '../../../../../gateway/src/contract/b.ts';\n<p>Don't `stop</p>; Date.now();",
    ],
    ['console/vite.config.ts', 'export default {};'],
    [src('app/version.ts'), "import pkg from '../../package.json' with { type: 'json' };"],
  ])('%s with %j is left alone', (file, text) => {
    expect(inspect([{ path: file, text }])).toEqual([]);
  });

  it('the table itself has no folder that sees another which sees it', () => {
    for (const [room, { mayImport }] of Object.entries(ROOMS)) {
      for (const other of mayImport)
        expect(ROOMS[other]?.mayImport, `${room} and ${other}`).not.toContain(room);
    }
  });
});

function inspect(files: SourceFile[]): Finding[] {
  return [...files.flatMap(inspectFile), ...circles(files), ...doubleNames(files)];
}

function doubleNames(files: SourceFile[]): Finding[] {
  const named = files.filter(({ path: file }) => !NAMES_OF_THEIR_OWN.includes(roomOf(file)));
  // The console is a program of its own: it sees only the rooms that it may import.
  const seenByConsole = ROOMS['console/src/app']?.mayImport ?? [];
  const programs = [
    named.filter(({ path: file }) => !isConsole(roomOf(file))),
    named.filter(({ path: file }) => isConsole(roomOf(file)) || seenByConsole.includes(roomOf(file))),
  ];
  const exported = programs.flatMap((program) => [...exportersOf(program)]);
  const twice = new Map(exported.filter(([, exporters]) => exporters.length > 1));
  return [...twice].flatMap(([name, exporters]): Finding[] => {
    const both = exporters.length === 2 ? 'both' : 'all';
    return [{ rule: 'once', message: `${exporters.join(' and ')} ${both} export ${name}: ${RULES.once}` }];
  });
}

const EXPORTED =
  /\bexport\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|class|interface|type|enum)\s+(?:\{([^}]*)\}|([\w$]+))/g;
/** Not those with a `from`: what is handed on is the same thing. */
const EXPORT_LIST = /\bexport\s+(?:type\s+)?\{([^}]*)\}(?!\s*from\b)/g;

/** The files that export each name, tests apart. A schema and its type in one file are one thing. */
function exportersOf(files: SourceFile[]): Map<string, string[]> {
  const exporters = new Map<string, string[]>();
  for (const file of files) {
    if (/\.test\.tsx?$/.test(file.path)) continue;
    const { code } = readCode(file.text);
    const lists = [...code.matchAll(EXPORT_LIST), ...code.matchAll(EXPORTED)];
    const names = lists.flatMap(([, list, name]) =>
      list === undefined
        ? [name ?? '']
        : list.split(',').map((entry) => /[\w$]*\s*$/.exec(entry)?.[0].trim() ?? ''),
    );
    for (const name of new Set(names)) {
      if (name === '' || name === 'default') continue;
      exporters.set(name, [...(exporters.get(name) ?? []), file.path]);
    }
  }
  return exporters;
}

function inspectFile(file: SourceFile): Finding[] {
  const findings: Finding[] = [];
  const { code, strings } = readCode(file.text);
  const room = roomOf(file.path);
  const base = path.posix.basename(file.path);
  const isTest = /\.test\.tsx?$/.test(base);
  const at = (index: number): string => `${file.path}:${file.text.slice(0, index).split('\n').length}`;
  const report = (rule: Rule, message: string, why: string = RULES[rule]): void => {
    findings.push({ rule, message: `${message}: ${why}` });
  };
  const each = (pattern: RegExp, work: (match: RegExpExecArray) => void): void => {
    for (const match of code.matchAll(pattern)) work(match);
  };

  for (const reason of badName(file.path)) report('names', `${file.path} ${reason}`);
  if (!base.endsWith('.config.ts')) {
    each(/\bexport\s+default\b|\bexport\s*\{[^}]*\bdefault\s*[,}]/g, ({ index }) =>
      report('exports', `${at(index)} exports a default`),
    );
  }
  if (isTest) return findings;

  const lines = file.text.replace(/\n$/, '').split('\n').length;
  const linesMax = COMPOSITION.test(file.path) ? COMPOSITION_LINES_MAX : LINES_MAX;
  if (lines > linesMax && !/\.generated\.tsx?$|\/(?:generated|fixtures)\//.test(file.path)) {
    report('size', `${file.path} has ${lines} lines`);
  }
  if (!CLOCK_ROOMS.includes(room) && !isConsole(room) && !CLOCK_FILES.includes(file.path)) {
    each(CLOCK, (match) => report('clock', `${at(match.index)} uses ${match[0]}`));
  }
  if (room !== 'database' && !base.endsWith('.store.ts')) {
    each(SQL_TAG, ({ index }) => report('sql', `${at(index)} uses sql\`…\``));
    for (const { index, text } of strings) {
      const sql = SQL_TEXT.exec(`${text} `)?.[0].trim().replace(/\s+/g, ' ').slice(0, 40);
      if (sql !== undefined) report('sql', `${at(index)} holds "${sql}…"`);
    }
  }
  if (base.endsWith('.store.ts')) {
    each(/\bJSON\.stringify\b/g, ({ index }) => report('json', `${at(index)} uses JSON.stringify`));
  }
  each(/\.\.\.\{/g, ({ index }) => report('spreads', `${at(index)} spreads a literal`));
  if (isConsole(room)) {
    each(/\bas\s+(?:any|never)\b/g, (match) => report('casts', `${at(match.index)} has ${match[0]}`));
  }
  if (PURE.includes(room)) each(IMPURE, (match) => report('pure', `${at(match.index)} uses ${match[0]}`));

  const entry = ROOMS[room];
  if (entry === undefined) {
    report(
      'layers',
      file.path,
      `the folder "${room}" is unknown; add it to the table in gateway/test/support/house-plan.ts`,
    );
    return findings;
  }
  for (const { specifier, target, index } of importsOf(file)) {
    const here = `${at(index)} imports ${specifier === null ? 'a computed path' : `'${specifier}'`}`;
    if (specifier === null) report('layers', here, 'a path that is not a plain string has no layer');
    else if (target !== null) {
      const other = roomOf(target);
      if (/^gateway\/package\.json$/.test(target) && entry.layer === '6') continue;
      if (other === '') report('layers', here, `"${target}" leads out of the house`);
      else if (other === room && entry.isApart && folderInside(target) !== folderInside(file.path)) {
        report('layers', here, `folders of ${room} do not import each other; what two share belongs below`);
      } else if (other !== room && !entry.mayImport.includes(other)) {
        const allowed =
          entry.mayImport.length === 0 ? 'no other folder' : `only ${entry.mayImport.join(', ')}`;
        report(
          'layers',
          here,
          `${room} (layer ${entry.layer}) may not import ${other}; it may import ${allowed}`,
        );
      }
    } else {
      const name = packageOf(specifier);
      const door = ONE_DOOR[name];
      if (door !== undefined && door !== room) report('doors', here, `only ${door}/ may import ${name}`);
      const builtIn = name.startsWith('node:') ? name : `node:${name}`;
      const isBuiltIn = name.startsWith('node:') || process.getBuiltinModule(builtIn) !== undefined;
      if (PURE.includes(room) && isBuiltIn && !PURE_MODULES.includes(builtIn)) report('pure', here);
    }
  }
  return findings;
}

function badName(file: string): string[] {
  const [base = '', ...folders] = file.split('/').toReversed();
  const reasons: string[] = [];
  if (!KEBAB_FILE.test(base) || !folders.every((folder) => KEBAB_FOLDER.test(folder))) {
    reasons.push('is not kebab-case');
  }
  if (/^index\.tsx?$/.test(base)) reasons.push('is an index, which says nothing');
  const empty = file.split(/[/.-]/).find((word) => EMPTY_WORDS.includes(word));
  if (empty !== undefined) reasons.push(`has "${empty}" in its name, which says nothing`);
  return reasons;
}

/** The folder of the table that a path belongs to; empty when it lies outside all of them. */
function roomOf(file: string): string {
  const [top, second, third, ...deeper] = file.split('/');
  if (top === 'console') {
    if (second !== 'src') return 'console';
    return deeper.length > 0 ? `console/src/${third}` : 'console/src';
  }
  if (top !== 'gateway') return '';
  if (second === 'simulator') return 'simulator';
  if (second !== 'src') return '';
  return deeper.length > 0 ? (third ?? '') : 'src';
}

function isConsole(room: string): boolean {
  return room === 'console' || room.startsWith('console/');
}

/** The folder inside a room of the console: the page or the topic. */
function folderInside(file: string): string {
  return file.split('/')[3] ?? '';
}

function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

interface Import {
  /** As written; null when it is not a plain string. */
  readonly specifier: string | null;
  /** The file it leads to, or null for a package. */
  readonly target: string | null;
  readonly index: number;
}

function importsOf(file: SourceFile): Import[] {
  const { code, strings } = readCode(file.text);
  const textAt = new Map(strings.map(({ index, text }) => [index, text]));
  const found: Import[] = [];
  const forms = [
    // import x, { y } from '…', import type, import '…', export … from '…'
    /(?<![.\w$])(?:import|export)\b(?:[\w$*{},\s]*?\bfrom)?\s*(?=['"])/g,
    // import('…'), also as a type
    /(?<![.\w$])(?:import|require)\s*\(\s*/g,
  ];
  for (const form of forms) {
    for (const match of code.matchAll(form)) {
      const specifier = textAt.get(match.index + match[0].length) ?? null;
      found.push({ specifier, target: specifier && targetOf(file.path, specifier), index: match.index });
    }
  }
  return found;
}

function targetOf(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(from), specifier);
  return specifier.startsWith('tollgate/') ? `gateway/${specifier.slice('tollgate/'.length)}` : null;
}

function circles(files: SourceFile[]): Finding[] {
  const sources = files.filter((file) => !/\.test\.tsx?$/.test(file.path));
  const edges = new Map(
    sources.map((file) => [
      file.path,
      importsOf(file).flatMap(({ target }) => (target === null ? [] : [target])),
    ]),
  );
  const findings: Finding[] = [];
  const done = new Set<string>();
  const walk = (file: string, way: string[]): void => {
    const seen = way.indexOf(file);
    if (seen >= 0) {
      const circle = [...way.slice(seen), file].join(' → ');
      findings.push({ rule: 'cycles', message: `${circle}: ${RULES.cycles}` });
      return;
    }
    if (done.has(file)) return;
    for (const target of edges.get(file) ?? []) walk(target, [...way, file]);
    done.add(file);
  };
  for (const file of edges.keys()) walk(file, []);
  return findings;
}

function readSources(folder: string): SourceFile[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\/(?:node_modules|dist)\//.test(file))
    .toSorted()
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), 'utf8') }));
}

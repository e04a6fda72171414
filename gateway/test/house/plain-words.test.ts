/**
 * Documents, comments and messages use plain words (CONTRIBUTING.md, "Language"). This test rejects phrases that
 * readers stumbled over. Documents have none. Rooms of the code that still have some are listed with their
 * number: lower it whenever you rewrite a text, and never raise it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/** Each phrase with what to write instead. A space in a pattern also matches a line break inside a comment. */
const PHRASES: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bwhoever\b/gi, 'the process that …, anyone who …'],
  [/\bhand(?:s|ed|ing)? in(?:to)?\b/gi, 'submit'],
  [/\bmend(?:s|ed|ing)?\b/gi, 'fix'],
  [/\b(?:refused|refuses|rejected|rejects|told) by name\b/gi, 'rejected, naming the field'],
  [/\b(?:of|in) Korea\b/g, 'KST'],
  [/\b(?:requests|tokens|limits?|calls|lines|statements?) an? (?:minute|second|hour)\b/gi, 'per minute'],
  [/\bnew texts? (?:for|of)\b/gi, 'a new secret'],
  [/\bformer (?:one|text|key)\b/gi, 'the old one'],
  [/\bthis once\b/gi, 'shown once'],
  [/\bthis young\b/gi, 'newer than'],
  [/\bwish(?:es)? (?:that|to)\b/gi, 'requests'],
  [/\b(?:is|are|was|were) no longer\b/gi, 'has expired, was removed, does not … now'],
  [/\bin a flood of\b/gi, 'under load'],
  [/\b(?:be|been) had\b/gi, 'be obtained, is in use'],
  [/\bgone on with\b|\bgo(?:es)? on after a cut\b/gi, 'resume'],
  [/\bunless told\b/gi, 'default'],
  [/\btold\b/gi, 'reported, said, known'],
  [/\buntold\b/gi, 'unknown'],
  [/\btells of\b/gi, 'describes'],
  [/\bnever answered\b/gi, 'got no answer'],
  [/\bwhen the answer is none\b/gi, 'when there is no usable answer'],
  [/\bbefore everybody else\b/gi, 'per event-loop turn'],
  [/\bno limit at all\b/gi, 'unlimited'],
  [/\bin (?:the|our|its|their|neutral|your) words\b/gi, 'in the format of …, as …'],
  [/\blooked for\b/gi, 'looked up, searched'],
  [/\bwhat (?:becomes|became) of\b/gi, 'the outcome of'],
  [/\bnobody's\b/gi, 'say who does not own it'],
  [/\bnothing any more\b/gi, 'nothing'],
  [/\banew\b/gi, 'again'],
  [/\bamid\b/gi, 'in the middle of'],
  [/\b(?:is|are|was|were|be) away\b/gi, 'unavailable'],
  [/\btime is over\b/gi, 'expired'],
  [/\btak(?:es|en|e|ing) (?:it|one|them|the \w+) up\b|\btaken up\b/gi, 'claim, resume'],
  [/\bslept\b/gi, 'was paused'],
  [/\bhears? no\b/gi, 'gets no'],
  [/\bfor want of\b/gi, 'because there was no'],
  [/\bin silence\b/gi, 'silently'],
  [/\bfor ever\b/gi, 'forever'],
  [/\bunasked\b/gi, 'unsolicited, without a request'],
  [/\bdearest\b/gi, 'most expensive'],
  [/\bhand(?:s|ed|ing)? (?:on|over)\b/gi, 'pass on, forward'],
  [/\bhow people call\b/gi, 'display name'],
  [/\bis nothing that can be\b|\bas far as its \w+ tell\b/gi, 'is not a supported …'],
  [/\bmay have acted\b/gi, 'may already exist'],
  [/\bmakes? (?:it|that) so\b|\bso it is (?:for|with)\b/gi, 'the same applies to'],
];

interface Finding {
  readonly room: string;
  readonly message: string;
}

const root = path.resolve(import.meta.dirname, '../../..');
const GAP = String.raw`(?:\s|\n\s*(?:\*|\/\/)\s?)+`;
const phrases = PHRASES.map(([pattern, better]) => ({
  pattern: new RegExp(pattern.source.replaceAll(' ', GAP), pattern.flags),
  better,
}));

/** Comments, strings and templates of TypeScript, and strings of JSON; quotes inside regular expressions may add some code to it. */
const PROSE =
  /\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`/g;
const FENCED = /^```[^\n]*\n[\s\S]*?^```$/gm;
/** Written by `npm run bench -- --write`. */
const GENERATED = /<!-- (bench[\w-]*):begin -->[\s\S]*?<!-- \1:end -->/g;

/** The text with everything blanked out that is not prose, so that every index stays. */
function proseOf(file: string, text: string): string {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, ' ');
  if (file.endsWith('.md')) return text.replaceAll(FENCED, blank).replaceAll(GENERATED, blank);
  if (file.endsWith('.tsx')) return text;
  let prose = '';
  let end = 0;
  for (const match of text.matchAll(PROSE)) {
    prose += blank(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return prose + blank(text.slice(end));
}

/** `docs` for documents, the folder of `gateway/src` for code, else the first folder. */
function roomOf(file: string): string {
  if (file === 'docs/logs.md' || file === 'docs/decisions/0016-logs.md') return 'docs about logs';
  if (file.endsWith('.md')) return 'docs';
  const [top = '', second, third = ''] = file.split('/');
  return top === 'gateway' && second === 'src' ? third : top;
}

function inspect(file: string, text: string): Finding[] {
  const prose = proseOf(file, text);
  return phrases.flatMap(({ pattern, better }) =>
    [...prose.matchAll(pattern)].map((match) => {
      const line = prose.slice(0, match.index).split('\n').length;
      const found = match[0].replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ');
      return { room: roomOf(file), message: `${file}:${line} "${found}": better ${better}` };
    }),
  );
}

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
    .filter((file) => ending.test(file) && !/node_modules|\/dist\/|\.test\.tsx?$/.test(file));
}

const documents = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...filesIn('docs', /\.md$/),
  ...filesIn('gateway/src', /\.md$/),
  'gateway/simulator/README.md',
];
const code = [...filesIn('gateway/src', /\.(?:ts|json)$/), ...filesIn('console/src', /\.tsx?$/)];

describe('plain words', () => {
  const findings = [...documents, ...code].flatMap((file) =>
    inspect(file, readFileSync(path.join(root, file), 'utf8')),
  );
  const byRoom = Map.groupBy(findings, ({ room }) => room);
  const rooms = [...new Set([...byRoom.keys(), 'docs', 'kernel'])].toSorted();

  test.each(rooms)('%s has no private phrases', (room) => {
    const found = (byRoom.get(room) ?? []).map(({ message }) => message);
    if (found.length > 0) expect.fail(`\n${found.toSorted().join('\n')}\n`);
  });

  test('the check has seen documents and code', () => {
    expect(documents).toContain('docs/decisions/0001-node-http.md');
    expect(code).toContain('gateway/src/kernel/units.ts');
    expect(code.some((file) => file.startsWith('console/src/'))).toBe(true);
  });
});

describe('the check bites', () => {
  test.each([
    ['gateway/src/net/a.ts', '// Whoever waits gets a 503.', 'net', 'a.ts:1 "Whoever"'],
    ['gateway/src/net/a.ts', '\n/**\n * A month of\n * Korea.\n */', 'net', 'a.ts:3 "of Korea"'],
    ['gateway/src/batches/a.ts', "throw new Error('mend the rows');", 'batches', 'better fix'],
    ['gateway/src/cli/a.ts', `const a = \`hand in \${file}\`;`, 'cli', 'better submit'],
    ['docs/money.md', 'Ten requests a minute.', 'docs', 'docs/money.md:1'],
    ['docs/logs.md', 'The database is away.', 'docs about logs', 'better unavailable'],
    ['console/src/a.tsx', '<p>This link is no longer valid</p>', 'console', 'a.tsx:1'],
  ])('on %s with %j', (file, text, room, words) => {
    const found = inspect(file, text);
    expect(found).toHaveLength(1);
    expect(found[0]?.room).toBe(room);
    expect(found[0]?.message).toContain(words);
  });

  test.each([
    ['gateway/src/net/a.ts', 'const whoever = told.amid(mend);'],
    ['gateway/src/net/a.ts', '// It lasts a minute. A recommendation.'],
    ['docs/money.md', '```yaml\nname: whoever\n```'],
  ])('not on %s with %j', (file, text) => {
    expect(inspect(file, text)).toEqual([]);
  });
});

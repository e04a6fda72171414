/** Compares two runs of the tests, and says in a few lines what the newer libraries changed. Pure. */

export interface TestRun {
  /** The name of each test, and the first line of its error; null if it passed. */
  readonly tests: ReadonlyMap<string, string | null>;
  /** The headers and fields that the libraries sent. */
  readonly sent: ReadonlySet<string>;
}

export interface Comparison {
  readonly passed: number;
  /** Fail with the newer libraries only. */
  readonly broken: ReadonlyArray<{ readonly test: string; readonly error: string }>;
  /** Fail with both. */
  readonly failing: readonly string[];
  /** The libraries whose requests were recorded, as they call themselves. */
  readonly libraries: readonly string[];
  readonly newlySent: readonly string[];
  readonly notSentAnymore: readonly string[];
}

export function compareRuns(newest: TestRun, pinned: TestRun): Comparison {
  const failed = [...newest.tests].flatMap(([test, error]) => (error === null ? [] : [{ test, error }]));
  const alsoPinned = (test: string): boolean => (pinned.tests.get(test) ?? null) !== null;
  return {
    passed: newest.tests.size - failed.length,
    broken: failed.filter(({ test }) => !alsoPinned(test)),
    failing: failed.map(({ test }) => test).filter(alsoPinned),
    libraries: [...new Set([...newest.sent].map((line) => line.split(' ', 1)[0] ?? ''))].toSorted(),
    newlySent: [...newest.sent].filter((line) => !pinned.sent.has(line)).toSorted(),
    notSentAnymore: [...pinned.sent].filter((line) => !newest.sent.has(line)).toSorted(),
  };
}

export type Versions = ReadonlyMap<string, string>;

export function writeVersions(pinned: Versions, newest: Versions): string {
  const width = Math.max(...[...newest.keys()].map((name) => name.length));
  const rows = [...newest].map(([name, version]) => {
    const before = pinned.get(name);
    return `  ${name.padEnd(width)}  ${before === version ? `${version} (pinned)` : `${before} -> ${version}`}`;
  });
  return ['Client libraries: pinned -> newest', ...rows].join('\n');
}

export function writeSummary(comparison: Comparison): string {
  const { passed, broken, failing, libraries, newlySent, notSentAnymore } = comparison;
  return [
    `Requests of ${libraries.join(', ')} were compared.`,
    ...section('headers and fields are sent by the newest versions only', newlySent),
    ...section('headers and fields are sent by the pinned versions only', notSentAnymore),
    ...(newlySent.length + notSentAnymore.length === 0 ? ['Both versions send the same fields.'] : []),
    `${passed} tests pass with the newest versions.`,
    ...section(
      'tests fail with the newest versions and pass with the pinned ones',
      broken.map(({ test, error }) => `${test}\n      ${error}`),
    ),
    ...section('tests fail with both', failing),
    ...(broken.length === 0 ? ['The newest versions break nothing.'] : []),
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${lines.length} ${title}:`, ...lines.map((line) => `  ${line}`)];
}

/** The part of vitest's JSON report that is read. */
interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: ReadonlyArray<{
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }>;
  }>;
}

export function readReport(json: string): TestRun['tests'] {
  const { testResults } = JSON.parse(json) as Report;
  return new Map(
    testResults.flatMap(({ name, message = '', assertionResults }): Array<[string, string | null]> => {
      const file = name.replace(/^.*\/test\//, 'test/');
      // A file that could not be loaded has no tests.
      if (assertionResults.length === 0) return [[file, firstLine(message) || 'could not be loaded']];
      return assertionResults
        .filter(({ status }) => status === 'passed' || status === 'failed')
        .map(({ fullName, status, failureMessages }) => [
          `${file}: ${fullName}`,
          status === 'passed' ? null : firstLine(failureMessages?.[0] ?? '') || 'failed',
        ]);
    }),
  );
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 300) ?? '';
}

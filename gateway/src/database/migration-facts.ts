/**
 * What a migration means for programs that run meanwhile: whether the previous version notices it, what it locks and how
 * long it may take. Migrations say it in their first lines; the ones from before that rule are listed here.
 */

/** `expand`: a program that does not know the migration works on. `contract`: it may fail. */
export type MigrationKind = 'expand' | 'contract';

export interface MigrationFacts {
  readonly kind: MigrationKind;
  /** What calls and other programs wait for. */
  readonly locks: string;
  readonly takes: string;
}

/** The first migration that states its facts itself. */
export const STATED_SINCE = 25;

const HEADER = /^-- (expand|contract)\n-- locks: (.+)\n-- takes: (.+)\n/;
const MOMENT = 'a moment';
const NOTHING = 'nothing that exists';

export function migrationFacts({
  version,
  name,
  script,
}: {
  version: number;
  name: string;
  script: string;
}): MigrationFacts {
  const [, kind, locks, takes] = HEADER.exec(script.replaceAll('\r\n', '\n')) ?? [];
  if (kind !== undefined && locks !== undefined && takes !== undefined)
    return { kind: kind as MigrationKind, locks, takes };
  const earlier = EARLIER[version];
  if (earlier !== undefined) return earlier;
  throw new Error(
    `${name} must start with the lines "-- expand" or "-- contract", "-- locks: …" and "-- takes: …"`,
  );
}

/** Replacing a function waits for nobody: statements under way finish with the old one. */
export const functionFacts: MigrationFacts = { kind: 'expand', locks: 'nothing', takes: MOMENT };

const expand = (locks: string, takes = MOMENT): MigrationFacts => ({ kind: 'expand', locks, takes });
const contract = (locks: string, takes = MOMENT): MigrationFacts => ({ kind: 'contract', locks, takes });

const EARLIER: Readonly<Record<number, MigrationFacts>> = {
  1: expand(NOTHING),
  2: expand('spaces, for a moment'),
  3: expand('calls, for a moment'),
  4: expand('spaces, keys, members, for a moment'),
  5: contract('calls and keys, until it is done: it fills the journal', 'seconds per million calls'),
  6: expand('keys, spaces, for a moment'),
  7: expand(NOTHING),
  8: expand('members, against changes'),
  9: expand(NOTHING),
  10: expand(NOTHING),
  11: contract('batches, for a moment: it adds a constraint'),
  12: expand(NOTHING),
  13: contract(
    'kept_responses, until it is done: it counts their bytes',
    'seconds per 100,000 kept responses',
  ),
  14: expand('spaces, members, keys, for a moment'),
  15: expand('calls, kept_responses, for a moment; files, batches, video_jobs against changes'),
  16: contract('people, members, sessions, for a moment: it adds a constraint'),
  17: expand(
    'calls, journal, month_totals against changes: no call is recorded. Create the indexes beforehand',
    'some seconds per million calls',
  ),
  18: expand(NOTHING),
  19: expand('batches, against changes', 'a second per million batches'),
  20: expand(
    'calls, against changes: no call is recorded. Create the index beforehand',
    'some seconds per million calls',
  ),
  22: expand('calls, batches, batch_lines, video_jobs, for a moment'),
  23: expand('video_jobs, for a moment', 'a second per million videos'),
  24: expand('calls, against changes: no call is recorded', 'a second per million calls'),
};

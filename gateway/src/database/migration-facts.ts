/**
 * What a migration means for programs that run meanwhile: whether the previous version notices it, what it locks and how
 * long it may take. Migrations say it in their first lines.
 */

/** `expand`: a program that does not know the migration works on. `contract`: it may fail. */
export type MigrationKind = 'expand' | 'contract';

export interface MigrationFacts {
  readonly kind: MigrationKind;
  /** What calls and other programs wait for. */
  readonly locks: string;
  readonly takes: string;
}

const HEADER = /^-- (expand|contract)\n-- locks: (.+)\n-- takes: (.+)\n/;

export function migrationFacts({ name, script }: { name: string; script: string }): MigrationFacts {
  const [, kind, locks, takes] = HEADER.exec(script.replaceAll('\r\n', '\n')) ?? [];
  if (kind !== undefined && locks !== undefined && takes !== undefined)
    return { kind: kind as MigrationKind, locks, takes };
  throw new Error(
    `${name} must start with the lines "-- expand" or "-- contract", "-- locks: …" and "-- takes: …"`,
  );
}

/** Replacing a function waits for nobody: statements under way finish with the old one. */
export const functionFacts: MigrationFacts = { kind: 'expand', locks: 'nothing', takes: 'a moment' };

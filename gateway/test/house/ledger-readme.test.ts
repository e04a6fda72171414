/** src/ledger/README.md names what the code has: accounts, kinds of entries, constraints, functions and rules. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { entryKinds } from '../../src/contract/administration/words.ts';
import { readFunctions } from '../../src/database/apply-functions.ts';
import * as charging from '../../src/ledger/charge.ts';
import { giveUnits } from '../../src/ledger/grants.store.ts';
import { invoiceOverage } from '../../src/ledger/invoices.store.ts';
import { accounts } from '../../src/ledger/postings.ts';
import { bookRules } from '../../src/reports/verify-books.store.ts';

const read = (file: string): string => readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
const readme = read('ledger/README.md');
const schema = read('database/schema.sql');

/** The rows of the table between two markers, without its head. */
function table(marker: string): string[][] {
  const part = new RegExp(`<!-- ${marker}:begin -->(.*?)<!-- ${marker}:end -->`, 's').exec(readme)?.[1] ?? '';
  const rows = part.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const firstNames = (marker: string): string[] => table(marker).map(([name = '']) => name.replaceAll('`', ''));

/** What stands in backquotes after a word, such as the names of constraints. */
function namesAfter(word: string, text: string): string[] {
  return [...text.matchAll(new RegExp(`${word} \`([a-z0-9_]+)\``, 'g'))].map((match) => match[1] as string);
}

describe('the README of the ledger', () => {
  test('lists every account in the order of the columns, and no other', () => {
    expect(firstNames('accounts')).toEqual([...accounts]);
    const columns = /create table journal \((.*?)\n\);/s.exec(schema)?.[1] ?? '';
    const sums = [...columns.matchAll(/^ {2}([a-z]+) numeric\(38,12\) not null/gm)].map((match) => match[1]);
    expect(sums).toEqual([...accounts]);
  });

  test('lists every kind of entry, and no other; the database allows the same', () => {
    expect(firstNames('entries')).toEqual([...entryKinds]);
    const kinds = read('database/functions/entry_fits.sql').matchAll(/when '([a-z]+)' then/g);
    expect([...kinds].map((match) => match[1])).toEqual([...entryKinds]);
  });

  test('names functions that exist as the writers of entries', () => {
    const writers = [giveUnits, invoiceOverage, ...Object.values(charging)];
    const known = [...writers.map(({ name }) => name), ...readFunctions().map(({ name }) => name)];
    const named = table('entries').flatMap(([, , , writer = '']) =>
      [...writer.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string),
    );
    expect(named.length).toBeGreaterThanOrEqual(entryKinds.length);
    for (const name of named) expect(known).toContain(name);
  });

  test('names only constraints, triggers and functions that the schema has', () => {
    const enforced = table('constraints').map(([, enforcedBy = '']) => enforcedBy);
    for (const row of enforced) expect(row).toMatch(/^(constraint|trigger) `/);
    const all = enforced.join('\n');
    for (const name of namesAfter('constraint', all)) expect(schema).toContain(`constraint ${name} CHECK`);
    for (const name of namesAfter('trigger', all)) expect(schema).toContain(`CREATE TRIGGER ${name} `);
    const functions = readFunctions().map(({ name }) => name);
    for (const name of namesAfter('function', readme)) expect(functions).toContain(name);
  });

  test('names every constraint of the journal', () => {
    const journal = [...schema.matchAll(/constraint (journal_\w+) CHECK/g)].map((match) => match[1]);
    for (const name of journal) expect(readme).toContain(`\`${name}\``);
  });

  test('lists every rule that proving the books checks, and no other', () => {
    expect(firstNames('rules')).toEqual([...bookRules]);
  });
});

/**
 * Which tests run on one engine only. What SQL, locks, durability or money decide runs on both; what they cannot decide
 * names its reason (`oneEngine` in support/engines.ts), and the two engines share that work.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** Folders whose promises depend on the database, but for the files below. */
const BOTH_ENGINES = [
  'access',
  'administration',
  'batches',
  'database',
  'files',
  'idempotency',
  'kept-responses',
  'lists',
  'money',
  'prices',
];
/** What these promise is decided in code: by the command line, an issuer, a provider, the shape of a request, a role. */
const DECIDED_IN_CODE = [
  'access/issuer-login.test.ts',
  'access/issuer-only.test.ts',
  'access/issuer-sign-in.test.ts',
  'access/login.test.ts',
  'administration/requests.test.ts',
  'administration/rights.test.ts',
  'batches/batch-output-cap.test.ts',
  'files/files-lists-setting.test.ts',
];
const ONE_ENGINE = /\boneEngine\('(embedded|postgres)', '[a-z ]+'\)/g;

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll(path.sep, '/'))
  .filter((name) => name.endsWith('.test.ts') && !name.startsWith('house/'));
const choices = new Map(
  files.map((name) => [name, [...readFileSync(path.join(root, name), 'utf8').matchAll(ONE_ENGINE)]] as const),
);

test('folders whose promises depend on the database run on both engines, but for files that are named here', () => {
  const onOne: string[] = [];
  for (const folder of BOTH_ENGINES) {
    const own = [...choices].filter(([name]) => name.startsWith(`${folder}/`));
    expect(own.length, `${folder}/ has tests`).toBeGreaterThan(0);
    onOne.push(...own.flatMap(([name, chosen]) => (chosen.length === 0 ? [] : [name])));
  }
  expect(onOne.sort()).toEqual(DECIDED_IN_CODE);
});

test('a choice of one engine names the engine and the reason where it is made', () => {
  const unread = files.filter((name) => {
    const calls = readFileSync(path.join(root, name), 'utf8').split('oneEngine(').length - 1;
    return calls !== choices.get(name)?.length;
  });
  expect(unread).toEqual([]);
});

test('each engine runs about half of the files that need only one', () => {
  const chosen = [...choices.values()].flat().map(([, engine]) => engine);
  const embedded = chosen.filter((engine) => engine === 'embedded').length;
  expect(Math.abs(2 * embedded - chosen.length)).toBeLessThanOrEqual(chosen.length / 4);
});

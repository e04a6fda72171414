/** ARCHITECTURE.md and the README.md of each room describe the code as it is. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOMS } from '../support/house-plan.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const src = path.join(root, 'gateway/src');
const architecture = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
const folders = readdirSync(src, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((file) =>
  file.replaceAll(path.sep, '/'),
);

const PATH = /^(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|tsx|md|sql)$|^(?:[\w-]+\/)+$/;

/** The paths in backticks: files with an ending, folders with a slash at the end. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)]
    .map((match) => match[1] as string)
    .filter((code) => PATH.test(code));
}

/** What is wrong with a path, or null. A bare file name may be in any room. */
function missing(name: string, bases: readonly string[]): string | null {
  if (bases.some((base) => existsSync(path.join(base, name)))) return null;
  const base = path.posix.basename(name);
  const elsewhere = files.filter((file) => path.posix.basename(file) === base);
  if (!name.includes('/') && elsewhere.length > 0) return null;
  return elsewhere.length > 0 ? `${name} is now ${elsewhere.join(' or ')}` : `${name} does not exist`;
}

function missingPaths(text: string, bases: readonly string[]): string[] {
  return pathsIn(text).flatMap((name) => missing(name, bases) ?? []);
}

/** The rows of the table between two markers, each as its cells. */
function tableRows(text: string, marker: string): string[][] {
  const part = new RegExp(`<!-- ${marker}:begin -->(.*?)<!-- ${marker}:end -->`, 's').exec(text)?.[1] ?? '';
  const rows = part.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const codesIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);

describe('ARCHITECTURE.md', () => {
  test('names only files and folders that exist', () => {
    expect(pathsIn(architecture).length).toBeGreaterThan(150);
    expect(missingPaths(architecture, [src, root])).toEqual([]);
  });

  const layers = ['layers', 'console-layers'].flatMap((marker) => tableRows(architecture, marker));

  test('has the layers of the plan, and every room in its layer', () => {
    const listed = layers.flatMap(([layer, rooms]) => codesIn(rooms).map((room) => [room, layer]));
    const planned = Object.entries(ROOMS).map(([room, { layer }]) => [room, layer]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(planned));
    expect(listed).toHaveLength(planned.length);
  });

  test('lists the rooms of a layer so that they import only to the left', () => {
    for (const [layer, rooms] of layers) {
      const names = codesIn(rooms);
      names.forEach((room, index) => {
        for (const later of names.slice(index + 1)) {
          expect(ROOMS[room]?.mayImport, `layer ${layer}: ${room} is left of ${later}`).not.toContain(later);
        }
      });
    }
  });

  test('has one row for each folder of gateway/src, with main files of that folder', () => {
    const rows = tableRows(architecture, 'rooms');
    expect(rows.map(([room]) => codesIn(room)[0]).toSorted()).toEqual(
      folders.map((folder) => `${folder}/`).toSorted(),
    );
    for (const [room = '', owns = '', main] of rows) {
      const folder = codesIn(room)[0] as string;
      expect(owns.length, folder).toBeGreaterThan(20);
      expect(codesIn(main).length, folder).toBeGreaterThan(0);
      for (const file of codesIn(main))
        expect(file.startsWith(folder), `${file} in the row of ${folder}`).toBe(true);
    }
  });
});

const otherPages = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.posix.join('docs', file.replaceAll(path.sep, '/'))),
];

test.each(otherPages)('%s names only files that exist', (page) => {
  const bases = [src, path.join(root, 'gateway'), root, path.join(root, 'docs')];
  expect(missingPaths(readFileSync(path.join(root, page), 'utf8'), bases)).toEqual([]);
});

describe.each(folders)('gateway/src/%s/README.md', (room) => {
  const file = path.join(src, room, 'README.md');

  test('says what the room owns and what it does not', () => {
    expect(existsSync(file), `gateway/src/${room} needs a README.md`).toBe(true);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^# /);
    expect(text.length).toBeGreaterThan(100);
    expect(text).toMatch(/\bdoes not own\b|\bnot part of\b/i);
  });

  test('names only files that exist', () => {
    expect(missingPaths(readFileSync(file, 'utf8'), [path.join(src, room), src, root])).toEqual([]);
  });
});

describe('the check bites', () => {
  test.each([
    ['see `calls/run-tekst.ts`', ['calls/run-tekst.ts does not exist']],
    ['see `batches/run-text.ts`', ['batches/run-text.ts is now calls/run-text.ts']],
    ['in `attic/`', ['attic/ does not exist']],
    ['see `nowhere-at-all.ts`', ['nowhere-at-all.ts does not exist']],
    [
      'see `kernel/units.ts`, `units.ts`, `gateway/test/house/house.test.ts`, `read-….ts` and `tollgate why`',
      [],
    ],
  ])('on %j', (text, found) => {
    expect(missingPaths(text, [src, root])).toEqual(found);
  });
});

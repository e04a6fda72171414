/** Readers find every document: docs/README.md leads to each, and docs/decisions/README.md lists every decision. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const DECISIONS = 'docs/decisions';
const INDEX = `${DECISIONS}/README.md`;
/** Such as `Status: in force` or `Status: changed by [0080](0080-own-rows.md), [0081](0081-purses.md)`. */
const STATUS =
  /^Status: (in force|history|(?:changed|replaced) by \[\d{4}\]\([^)]+\)(?:, \[\d{4}\]\([^)]+\))*)$/;

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const pagesIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.posix.join(folder, file));

const decisions = pagesIn(DECISIONS)
  .filter((page) => page !== INDEX)
  .map((page) => {
    const [title = '', , status = ''] = read(page).split('\n');
    return { page, number: path.basename(page).slice(0, 4), title, status };
  });

/** What explains. The index is not part of it, because it links to every decision. */
const documents = [...pagesIn('docs'), ...pagesIn('.'), ...decisions.map(({ page }) => page)];
const links = new Map(
  documents.filter((page) => page !== 'CHANGELOG.md').map((page) => [page, linksIn(page, read(page))]),
);

/** The files of the repository that a text in a document links to. */
function linksIn(document: string, text: string): string[] {
  const found = text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g);
  return [...found].map(([, link = '']) => path.posix.join(path.posix.dirname(document), link));
}

describe.each(decisions)('decision $number', ({ page, status }) => {
  test('has a status below its title, which names only later decisions', () => {
    expect(status).toMatch(STATUS);
    const later = decisions.filter((other) => other.page > page).map((other) => other.page);
    for (const link of linksIn(page, status)) expect(later).toContain(link);
  });

  test('is linked from a document or from another decision', () => {
    const linking = [...links].filter(([other, to]) => other !== page && to.includes(page));
    expect(linking.length).toBeGreaterThan(0);
  });
});

test('the index lists every decision once, with the title and the status of its page, and says what it is about', () => {
  const rows = read(INDEX)
    .split('\n')
    .filter((line) => /^\| \[\d{4}\]/.test(line));
  const listed = rows.map((row) => row.split(' | ').slice(0, 3).join(' | '));
  const expected = decisions.map(
    ({ page, number, title, status }) =>
      `| [${number}](${path.basename(page)}) | ${title.replace('# ', '')} | ${status.replace('Status: ', '')}`,
  );
  expect(listed.toSorted()).toEqual(expected);
  for (const row of rows) expect(row).toMatch(/ \| [^|]+ \|$/);
});

test('docs/README.md leads to every document of docs/, and README.md leads to it', () => {
  expect(links.get('README.md')).toContain('docs/README.md');
  const others = [...pagesIn('docs'), INDEX].filter((page) => page !== 'docs/README.md');
  expect(others.filter((page) => !links.get('docs/README.md')?.includes(page))).toEqual([]);
});

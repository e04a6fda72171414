/**
 * Writes new prices into the text of `tollgate.yaml`. Only the entries that change and the version are replaced;
 * everything else, with its comments, stays byte for byte. Pure.
 */
import { type Document, isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import type { PriceEntries } from '../price-sheets/price-entry.ts';
import { ConfigError } from '../yaml/config-error.ts';
import { renderEntry } from './render-entry.ts';

export interface SheetChange {
  readonly version: string;
  readonly models: ReadonlyMap<string, PriceEntries>;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function writeSheet(text: string, { version, models }: SheetChange): string {
  const document = parseDocument(text, { schema: 'failsafe', merge: true });
  const prices = document.get('prices');
  if (!isMap(prices)) return appendSheet(text, { version, models });
  const list = prices.get('models');
  if (!isMap(list) || list.flow || list.items.length === 0)
    throw new ConfigError('prices.models must have one model per line before prices can be written into it');
  const indent = columnOf(text, keyStart(list.items[0] as Pair));
  const edits = [...models].map(([code, entries]) => entryEdit(text, list, { code, entries, indent }));
  return applyEdits(text, [...edits, ...versionEdit(document, version)]);
}

function appendSheet(text: string, { version, models }: SheetChange): string {
  const entries = [...models].map(([code, one]) => renderEntry(code, one, 4));
  const sheet = ['prices:', `  version: ${JSON.stringify(version)}`, '  models:', ...entries].join('\n');
  return `${text.trimEnd()}\n\n${sheet}\n`;
}

function entryEdit(
  text: string,
  list: YAMLMap,
  { code, entries, indent }: { code: string; entries: PriceEntries; indent: number },
): Edit {
  const pair = list.items.find(({ key }) => isScalar(key) && String(key.value) === code);
  if (pair !== undefined) {
    const start = keyStart(pair);
    return { start, end: pairEnd(text, pair), text: renderEntry(code, entries, indent).trimStart() };
  }
  const end = pairEnd(text, list.items.at(-1) as Pair);
  return { start: end, end, text: `\n${renderEntry(code, entries, indent)}` };
}

function versionEdit(document: Document, version: string): Edit[] {
  const node = document.getIn(['prices', 'version'], true);
  if (!isScalar(node) || String(node.value) === version) return [];
  const [start = 0, end = 0] = node.range ?? [];
  return [{ start, end, text: /^[\w.-]+$/.test(version) ? version : JSON.stringify(version) }];
}

function keyStart({ key }: Pair): number {
  return isScalar(key) ? (key.range?.[0] ?? 0) : 0;
}

/** Where the value ends, without the blank lines and comments after it. */
function pairEnd(text: string, pair: Pair): number {
  const range = (pair.value as { range?: readonly number[] } | null)?.range;
  const start = keyStart(pair);
  return start + text.slice(start, range?.[1] ?? start).trimEnd().length;
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** From the end, so that the offsets of the others stay right. Several new entries keep their order. */
function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = edits.map((edit, i) => ({ ...edit, i })).sort((a, b) => b.start - a.start || b.i - a.i);
  return ordered.reduce((so, { start, end, text: put }) => so.slice(0, start) + put + so.slice(end), text);
}

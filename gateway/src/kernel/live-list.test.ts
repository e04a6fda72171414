import { expect, test } from 'vitest';
import { type Listed, LiveList } from './live-list.ts';

interface Named extends Listed {
  readonly name: string;
}

function listOf(...names: readonly string[]): { list: LiveList<Named>; items: Map<string, Named> } {
  const list = new LiveList<Named>();
  const items = new Map(names.map((name) => [name, { name, place: -1 }]));
  for (const item of items.values()) list.add(item);
  return { list, items };
}

function namesIn(list: LiveList<Named>): string[] {
  const names: string[] = [];
  list.forEach(({ name }) => {
    names.push(name);
  });
  return names.sort();
}

test('holds what was added and not removed, whichever is removed', () => {
  for (const gone of ['a', 'b', 'c']) {
    const { list, items } = listOf('a', 'b', 'c');
    list.remove(items.get(gone) as Named);
    expect(namesIn(list)).toEqual(['a', 'b', 'c'].filter((name) => name !== gone));
    expect(list.size).toBe(2);
    // Removing it again changes nothing, and it can come back.
    list.remove(items.get(gone) as Named);
    list.add(items.get(gone) as Named);
    expect(namesIn(list)).toEqual(['a', 'b', 'c']);
  }
});

test('the visitor may remove any item, and misses none of those that stay', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const at of names) {
    for (const gone of names) {
      const { list, items } = listOf(...names);
      const seen = new Set<string>();
      list.forEach(({ name }) => {
        seen.add(name);
        if (name === at) list.remove(items.get(gone) as Named);
      });
      for (const name of names)
        if (name !== gone) expect(seen.has(name), `${name} of ${at}/${gone}`).toBe(true);
      expect(namesIn(list)).toEqual(names.filter((name) => name !== gone));
    }
  }
});

import { describe, expect, test } from 'vitest';
import { logTimeOf } from '../kernel/log-time.ts';
import { mergeTails, readTail, type Tail, type TailLimit } from './last-lines.ts';
import type { LogBatch, LogLine } from './source.ts';

function line(pod: string, n: number, text = `${pod}${n}`): LogLine {
  const source = { id: pod, pod, podUid: pod, container: 'app', restart: 0, ended: false };
  return { source, time: logTimeOf(Date.UTC(2026, 10, 15) + n), text, position: `${pod}${n}` };
}

async function tailOf(batches: readonly Partial<LogBatch>[], limit: TailLimit) {
  async function* read(): AsyncGenerator<LogBatch> {
    for (const batch of batches) yield { lines: [], gap: null, ...batch };
  }
  return await readTail(read(), limit);
}

const numbered = (from: number, to: number): LogLine[] =>
  Array.from({ length: to - from }, (_, i) => line('a', from + i));
const texts = ({ lines }: Tail): string[] => lines.map(({ text }) => text);
const positions = ({ before }: Tail) => [...before].map(([source, { position }]) => [source, position]);

describe('the tail of a source', () => {
  test.each([
    [0, [], [['a', 'a5']]],
    [2, ['a4', 'a5'], [['a', 'a3']]],
    [6, ['a0', 'a1', 'a2', 'a3', 'a4', 'a5'], []],
    [9, ['a0', 'a1', 'a2', 'a3', 'a4', 'a5'], []],
  ])('of %s lines are the last ones, and the position before them', async (lines, expected, before) => {
    const tail = await tailOf([{ lines: numbered(0, 4) }, { lines: numbered(4, 6) }], {
      lines,
      bytesMax: 99,
    });
    expect([texts(tail), positions(tail)]).toEqual([expected, before]);
  });

  test('has at most so many bytes, and one line whatever its size', async () => {
    const lines = numbered(0, 5);
    expect(texts(await tailOf([{ lines }], { lines: 5, bytesMax: 5 }))).toEqual(['a3', 'a4']);
    expect(texts(await tailOf([{ lines }], { lines: 5, bytesMax: 1 }))).toEqual(['a4']);
  });

  test('ends where the existing lines end, and starts behind a line that is known only for its position', async () => {
    const batches = [
      { lines: numbered(1, 3), before: line('a', 0) },
      { gap: 'rotated away' },
      { atEnd: true as const },
      { lines: numbered(3, 4) },
    ];
    const tail = await tailOf(batches, { lines: 5, bytesMax: 99 });
    expect([texts(tail), positions(tail), tail.gaps]).toEqual([
      ['a1', 'a2'],
      [['a', 'a0']],
      ['rotated away'],
    ]);
  });
});

test('tails of many sources are merged by time, and the position before is that of each source', () => {
  const [a, b] = [numbered(0, 4), [line('b', 1), line('b', 5)]];
  const tails = [
    { lines: a, before: new Map([['a', line('a', -1)]]) },
    { lines: b, before: new Map([['b', line('b', 0)]]) },
  ];
  const tail = mergeTails(tails, 3);
  expect(texts(tail)).toEqual(['a2', 'a3', 'b5']);
  expect(positions(tail).sort()).toEqual([
    ['a', 'a1'],
    ['b', 'b1'],
  ]);
});

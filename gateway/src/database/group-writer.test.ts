import { expect, test } from 'vitest';
import { hastyClock } from '../../test/chaos/trouble.ts';
import { DatabaseUnavailable } from './database.ts';
import { GroupWriter, type GroupWriterOptions } from './group-writer.ts';

interface Row {
  readonly name: string;
  readonly lane: string;
  readonly bytes: number;
}

function row(name: string, bytes = 1, lane = name): Row {
  return { name, bytes, lane };
}

/** A writer that notes its groups; `write` may throw. */
function writerTo(options: Partial<GroupWriterOptions<Row>> = {}): {
  writer: GroupWriter<Row>;
  groups: string[];
} {
  const groups: string[] = [];
  const writer = new GroupWriter<Row>({
    clock: hastyClock(),
    rowsMax: 10,
    sizeOf: ({ bytes }) => bytes,
    laneOf: ({ lane }) => lane,
    ...options,
    write: async (rows, tried) => {
      await options.write?.(rows, tried);
      groups.push(rows.map(({ name }) => name).join(' '));
    },
  });
  return { writer, groups };
}

test('a group is bounded in rows and in bytes, and a row larger than a group goes alone', async () => {
  const { writer, groups } = writerTo({ rowsMax: 3, bytesMax: 100 });
  const rows = [row('a', 60), row('b', 60), row('c', 30), row('huge', 500), row('d', 1), row('e', 1)];
  await Promise.all(rows.map((one) => writer.add(one)));
  expect(groups).toEqual(['a c d', 'b e', 'huge']);
});

test('the rows of one lane delay those of another by one group at most', async () => {
  const { writer, groups } = writerTo({ bytesMax: 100 });
  const large = Array.from({ length: 20 }, (_, i) => writer.add(row(`L${i}`, 90, 'loud')));
  await Promise.all([...large, writer.add(row('s1', 1, 'quiet')), writer.add(row('s2', 1, 'quiet'))]);
  expect(groups[0]).toBe('L0 s1 s2');
  expect(groups).toHaveLength(20);
});

test('every lane gets its turn, however long the queue of another is', async () => {
  const { writer, groups } = writerTo({ rowsMax: 2 });
  const loud = Array.from({ length: 6 }, (_, i) => writer.add(row(`L${i}`, 1, 'loud')));
  await Promise.all([...loud, writer.add(row('a', 1, 'a')), writer.add(row('b', 1, 'b'))]);
  expect(groups).toEqual(['L0 a', 'b L1', 'L2 L3', 'L4 L5']);
});

test('a row that the database rejects fails alone', async () => {
  const { writer, groups } = writerTo({
    write: async (rows) => {
      if (rows.some(({ name }) => name === 'bad')) throw new Error('a bad row');
    },
  });
  const rows = ['a', 'b', 'bad', 'c', 'd'].map((name) => writer.add(row(name)));
  const ends = await Promise.allSettled(rows);
  expect(ends.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, true]);
  expect(groups.join(' ').split(' ').toSorted()).toEqual(['a', 'b', 'c', 'd']);
});

test('while the database is away rows are sent again, and dropped after the time they may wait', async () => {
  let away = 3;
  const { writer, groups } = writerTo({
    resend: { waitMsMax: 1_000, afterwards: 'drop' },
    write: async () => {
      if (away-- > 0) throw new DatabaseUnavailable('away');
    },
  });
  await writer.add(row('patient'));
  expect(groups).toEqual(['patient']);
  away = Number.POSITIVE_INFINITY;
  const [first, second] = await Promise.allSettled([writer.add(row('a')), writer.add(row('b'))]);
  expect([first?.status, second?.status]).toEqual(['rejected', 'rejected']);
  await writer.flush();
  away = 0;
  await writer.add(row('later'));
  expect(groups).toEqual(['patient', 'later']);
});

test('rows that wait are bounded in bytes: a lane with many is rejected at once, one without finds room', async () => {
  const gate = Promise.withResolvers<void>();
  const { writer } = writerTo({ waitingBytesMax: 160, bytesMax: 10, write: () => gate.promise });
  const rows = ['greedy', 'greedy', 'greedy', 'modest', 'greedy', 'modest'];
  const ends = Promise.allSettled(rows.map((lane, i) => writer.add(row(`r${i}`, 40, lane))));
  gate.resolve();
  expect((await ends).map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'rejected'],
  ]);
  await writer.add(row('later', 40, 'greedy'));
});

import { describe, expect, test } from 'vitest';
import { Problem } from '../kernel/problem.ts';
import { SMALL_BYTES } from './answer-shares.ts';
import { numberEvents, readEventId, skipEvents } from './event-numbers.ts';
import { BACKGROUND_EVENTS_BYTES_MAX, KEPT_ANSWER_BYTES_MAX, RunningAnswer } from './running-answer.ts';

const callId = `req_${'0'.repeat(26)}`;

function running(room = Number.POSITIVE_INFINITY): { answer: RunningAnswer; held: () => number } {
  let held = 0;
  const memory = {
    take: (bytes: number) => {
      if (held + bytes > room) return false;
      held += bytes;
      return true;
    },
    giveBack: (bytes: number) => {
      held -= bytes;
    },
    get isFull() {
      return held > SMALL_BYTES;
    },
    close: () => undefined,
  };
  const scope = { spaceId: 'spc_1', owner: 'key_1', operation: 'chat', key: 'k' } as const;
  return {
    answer: new RunningAnswer({ scope, callId, digest: 'd', streamed: true, memory }),
    held: () => held,
  };
}

describe('the ids of events', () => {
  test('number the events of a stream across pieces, and lead back to them', () => {
    const one = numberEvents('data: a\n\nevent: x\ndata: b\n\n', callId, 0);
    expect(one).toEqual({
      text: `id: ${callId}-1\ndata: a\n\nid: ${callId}-2\nevent: x\ndata: b\n\n`,
      count: 2,
    });
    expect(skipEvents(one.text, 1)).toBe(`id: ${callId}-2\nevent: x\ndata: b\n\n`);
    expect(skipEvents(one.text, 5)).toBe('');
    expect(readEventId(`${callId}-17`)).toEqual({ callId, number: 17 });
  });

  test.each(['17', `${callId}`, `${callId}-`, `${callId}-1x`, `resp_${'0'.repeat(26)}-1`, `${callId}--1`])(
    '%s is not the id of an event',
    (id) => expect(readEventId(id)).toBeNull(),
  );
});

describe('a running answer', () => {
  test('shows its end only when it is charged, and never if it is not', () => {
    for (const failure of [null, new Problem('service_unavailable')]) {
      const { answer } = running();
      answer.begin({});
      const first = answer.add('data: a\n\ndata: b\n\n');
      const end = answer.addEnd('data: [DONE]\n\n');
      expect(answer.eventsAfter(0)).toEqual({ text: first, last: 2 });
      expect(answer.takePart()?.part).toMatchObject({ firstEvent: 1, events: 2, body: first });
      expect(answer.unflushed).toBe(false);
      answer.end(failure);
      expect(answer.eventsAfter(0)?.text).toBe(failure === null ? first + end : first);
    }
  });

  test('hands everything to the store that is not there for certain', () => {
    const { answer } = running();
    const [a, b] = [answer.add('data: a\n\n'), answer.add('data: b\n\n')];
    const part = answer.takePart();
    const c = answer.add('data: c\n\n');
    expect([answer.takePart(), answer.unflushed]).toEqual([null, true]);
    expect(answer.restParts()).toEqual([
      expect.objectContaining({ firstEvent: 1, events: 3, body: a + b + c }),
    ]);
    part?.stored();
    const end = answer.addEnd('data: d\n\n');
    expect(answer.restParts()).toEqual([expect.objectContaining({ firstEvent: 3, body: c + end })]);
  });

  test('that is too large, or finds no memory, is not kept and holds nothing', () => {
    for (const { answer, held } of [running(), running(50)]) {
      answer.add('data: a\n\n');
      const sent = answer.add(`data: ${'x'.repeat(KEPT_ANSWER_BYTES_MAX)}\n\n`);
      expect(sent).toContain(`id: ${callId}-2\n`);
      expect([answer.overflowed, held(), answer.restParts()]).toEqual([true, 0, []]);
    }
  });

  test('holds its memory until the last reader has left', () => {
    const { answer, held } = running();
    const text = answer.add('data: a\n\n');
    const leave = answer.join();
    answer.end(null);
    answer.close();
    expect([answer.eventsAfter(0)?.text, held()]).toEqual([text, text.length]);
    leave();
    expect(held()).toBe(0);
  });

  test('makes its call wait while it holds too much, until that is stored or given up', () => {
    const large = `data: ${'x'.repeat(SMALL_BYTES)}\n\n`;
    for (const giveUp of [false, true]) {
      const { answer, held } = running();
      let ready = 0;
      answer.onRoom(() => ready++);
      answer.add(large);
      const part = answer.takePart();
      expect([answer.isFull, ready]).toEqual([true, 0]);
      if (giveUp) answer.add('data: \0\n\n');
      part?.stored();
      expect([answer.isFull, ready, held()]).toEqual([false, 1, 0]);
      expect(answer.restParts()).toEqual([]);
    }
  });

  test('holds only what the store does not have', () => {
    const { answer, held } = running();
    const [a, b] = [answer.add('data: a\n\n'), answer.add('data: b\n\n')];
    const failed = answer.takePart();
    failed?.failed();
    const again = answer.takePart();
    expect(again?.part).toMatchObject({ firstEvent: 1, events: 2, body: a + b });
    again?.stored();
    expect([held(), answer.eventsAfter(0), answer.eventsAfter(2)]).toEqual([0, null, { text: '', last: 2 }]);
    const c = answer.add('data: c\n\n');
    expect([answer.eventsAfter(1), answer.eventsAfter(2)]).toEqual([null, { text: c, last: 3 }]);
    const end = answer.addEnd('data: d\n\n');
    expect(answer.restParts()).toEqual([
      expect.objectContaining({ firstEvent: 3, events: 2, body: c + end }),
    ]);
    answer.end(null);
    expect(answer.eventsAfter(2)).toEqual({ text: c + end, last: 4 });
    answer.close();
    expect(held()).toBe(0);
  });

  test('of a background call is kept up to its limit, which is larger than its memory', () => {
    const { answer, held } = running();
    answer.background = true;
    const megabyte = `data: ${'x'.repeat(1024 * 1024 - 50)}\n\n`;
    for (let bytes = 0; bytes < BACKGROUND_EVENTS_BYTES_MAX; bytes += 1024 * 1024) {
      answer.add(megabyte);
      answer.takePart()?.stored();
    }
    expect([answer.overflowed, held()]).toEqual([false, 0]);
    answer.add(megabyte);
    expect([answer.overflowed, held(), answer.restParts()]).toEqual([true, 0, []]);
  });
});

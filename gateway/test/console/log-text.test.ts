/** The parts of the log viewer that need no browser: text, JSON, search, times, windows of rows and pods. */
import { describe, expect, test } from 'vitest';
import { readBuildLog, readLineHash } from '../../../console/src/pages/logs/read-build-log.ts';
import { plainText, readAnsi } from '../../../console/src/pages/logs/viewer/ansi.ts';
import { cutSegments } from '../../../console/src/pages/logs/viewer/line-text.ts';
import { PodList } from '../../../console/src/pages/logs/viewer/pod-list.ts';
import { prettyJson } from '../../../console/src/pages/logs/viewer/pretty-json.ts';
import {
  fieldTime,
  printFullLogTime,
  printLogTime,
  readFieldTime,
} from '../../../console/src/pages/logs/viewer/print-log-time.ts';
import {
  anchorAt,
  rowAt,
  rowOffsets,
  rowWindow,
  topOf,
} from '../../../console/src/pages/logs/viewer/row-window.ts';
import {
  markedRanges,
  markSegments,
  matchesText,
  nextMatch,
  searchPattern,
} from '../../../console/src/pages/logs/viewer/search-lines.ts';
import {
  readStreamChoice,
  readViewOptions,
  togglePod,
} from '../../../console/src/pages/logs/viewer/view-options.ts';

const ESC = '\u001b';

describe('text of a terminal', () => {
  const shown = (text: string) => readAnsi(text).map(({ text, classes }) => [text, classes]);

  test('colours and styles become classes, until they end', () => {
    expect(shown(`${ESC}[31mred${ESC}[0m plain`)).toEqual([
      ['red', 'ansi-fg-1'],
      [' plain', ''],
    ]);
    expect(shown(`${ESC}[1;4;92;43mall${ESC}[22;39mless${ESC}[mnone`)).toEqual([
      ['all', 'ansi-bold ansi-underline ansi-fg-10 ansi-bg-3'],
      ['less', 'ansi-underline ansi-bg-3'],
      ['none', ''],
    ]);
  });

  test('256 and 16 million colours become the nearest of 16', () => {
    expect(
      shown(`${ESC}[38;5;9ma${ESC}[38;5;196mb${ESC}[38;2;0;200;0mc${ESC}[48;5;232md${ESC}[38:5:12me`),
    ).toEqual([
      ['a', 'ansi-fg-9'],
      ['b', 'ansi-fg-9'],
      ['c', 'ansi-fg-2'],
      ['d', 'ansi-fg-2 ansi-bg-0'],
      ['e', 'ansi-fg-12 ansi-bg-0'],
    ]);
  });

  test.each([
    ['10%\r50%\r100%', '100%'],
    ['ends with one\r', 'ends with one'],
    [`old${ESC}[2Knew`, 'new'],
    [`${ESC}]8;;http://x\u0007link${ESC}]8;;\u0007`, 'link'],
    [`${ESC}]0;title${ESC}\\text`, 'text'],
    [`${ESC}[2J${ESC}[Hte${ESC}(Bxt`, 'text'],
    ['tab\tstays', 'tab\tstays'],
    ['nul\u0000 bell\u0007', 'nul␀ bell␇'],
    ['abc\b\bX', 'aX'],
    [`cut ${ESC}[3`, 'cut '],
    [`cut ${ESC}]8;;http`, 'cut '],
    ['', ''],
  ])('%j is shown as %j', (text, expected) => {
    expect(plainText(readAnsi(text))).toBe(expected);
  });

  test('a class is never made of text that was sent', () => {
    const classes = readAnsi(`${ESC}[31;x";onload=m${ESC}[38;5;999mtext`).map((segment) => segment.classes);
    expect(classes).toEqual(['', 'ansi-fg-7']);
  });

  test('a long line is cut without splitting a character', () => {
    const cut = cutSegments(
      [
        { text: 'ab🙂', classes: '' },
        { text: 'cd', classes: 'x' },
      ],
      3,
    );
    expect(cut).toEqual([{ text: 'ab', classes: '' }]);
    expect(
      cutSegments(
        [
          { text: 'ab', classes: '' },
          { text: 'cd', classes: 'x' },
        ],
        3,
      ),
    ).toEqual([
      { text: 'ab', classes: '' },
      { text: 'c', classes: 'x' },
    ]);
  });
});

describe('JSON lines', () => {
  test('are written over several lines, with every digit and escape as it was', () => {
    expect(
      prettyJson('{"n":12345678901234567890,"x":1.0,"t":"a\\u00e9 {,:}","e":{},"l":[ ],"a":[1,{"b":null}]}'),
    ).toBe(
      `{
  "n": 12345678901234567890,
  "x": 1.0,
  "t": "a\\u00e9 {,:}",
  "e": {},
  "l": [],
  "a": [
    1,
    {
      "b": null
    }
  ]
}`,
    );
  });

  test.each(['', 'text', '12', '"text"', '{"a":1', '{a:1}', '[info] started]'])('%j is none', (text) => {
    expect(prettyJson(text)).toBeNull();
  });

  test('the result is the same JSON', () => {
    const json = JSON.stringify({ a: ['"', '\\', '\n', { b: [[], {}] }], c: -1e-7, d: true });
    expect(JSON.parse(prettyJson(json) ?? '')).toEqual(JSON.parse(json));
  });
});

describe('search', () => {
  test('finds the text as typed, in any case, again and again', () => {
    const pattern = searchPattern('a.b(') as RegExp;
    expect([
      matchesText('xA.B(', pattern),
      matchesText('xA.B(', pattern),
      matchesText('axb(', pattern),
    ]).toEqual([true, true, false]);
    expect(markedRanges('a.b( A.B(', pattern)).toEqual([
      [0, 4],
      [5, 9],
    ]);
    expect(markedRanges('a.b( A.B(', pattern)).toHaveLength(2);
    expect(searchPattern('')).toBeNull();
  });

  test('highlights a match that goes through several colours', () => {
    const segments = [
      { text: 'one t', classes: 'r' },
      { text: 'wo three', classes: 'g' },
    ];
    expect(markSegments(segments, [[4, 7]])).toEqual([
      { text: 'one ', classes: 'r', marked: false },
      { text: 't', classes: 'r', marked: true },
      { text: 'wo', classes: 'g', marked: true },
      { text: ' three', classes: 'g', marked: false },
    ]);
  });

  test('goes round at the ends', () => {
    const places = [3, 8, 20];
    expect([nextMatch(places, null, 1), nextMatch(places, 8, 1), nextMatch(places, 20, 1)]).toEqual([
      3, 20, 3,
    ]);
    expect([nextMatch(places, null, -1), nextMatch(places, 8, -1), nextMatch(places, 3, -1)]).toEqual([
      20, 3, 20,
    ]);
    // The match may have left the buffer.
    expect([nextMatch(places, 5, 1), nextMatch([], 5, 1)]).toEqual([8, null]);
  });
});

describe('times', () => {
  const line = '2026-11-15T23:30:00.123456789Z';
  test.each([
    ['kst', '11-16 08:30:00.123', '2026-11-16 08:30:00.123456789 +09:00'],
    ['utc', '11-15 23:30:00.123', '2026-11-15 23:30:00.123456789 +00:00'],
  ] as const)('a line in %s', (mode, short, full) => {
    expect([printLogTime(line, mode), printFullLogTime(line, mode)]).toEqual([short, full]);
  });

  test('what is no time is shown as it is, and fields are read as they were written', () => {
    expect(printLogTime('yesterday', 'kst')).toBe('yesterday');
    const instant = Date.parse('2026-11-15T03:00:01Z');
    for (const mode of ['kst', 'utc', 'local', 'off'] as const)
      expect(readFieldTime(fieldTime(instant, mode), mode)).toBe(instant);
    expect(fieldTime(instant, 'kst')).toBe('2026-11-15T12:00:01');
    expect(readFieldTime('2026-11-15T12:00', 'kst')).toBe(Date.parse('2026-11-15T03:00:00Z'));
    expect(readFieldTime('', 'kst')).toBeNull();
  });
});

describe('the window of rows', () => {
  const heights = [20, 40, 20, 100, 20];
  const offsets = rowOffsets(heights.length, (i) => heights[i] as number);
  const rows = heights.map((_, i) => ({ place: i + 10 }));

  test('has the rows that are visible and some around them', () => {
    expect([...offsets]).toEqual([0, 20, 60, 80, 180, 200]);
    expect([-5, 0, 19, 20, 79, 80, 199, 999].map((y) => rowAt(offsets, y))).toEqual([0, 0, 0, 1, 2, 3, 4, 4]);
    expect(rowWindow(offsets, { top: 25, height: 40, spare: 0 })).toEqual({ start: 1, end: 3 });
    expect(rowWindow(offsets, { top: 25, height: 40, spare: 10 })).toEqual({ start: 0, end: 5 });
    expect(
      rowWindow(
        rowOffsets(0, () => 20),
        { top: 0, height: 40, spare: 1 },
      ),
    ).toEqual({ start: 0, end: 0 });
  });

  test('an anchor keeps its pixel when rows before it leave or grow', () => {
    const anchor = anchorAt(rows, offsets, 90);
    expect(anchor).toEqual({ place: 13, offset: 10 });
    expect(topOf(rows, offsets, anchor)).toBe(90);
    const later = rows.slice(2);
    expect(
      topOf(
        later,
        rowOffsets(3, (i) => heights[i + 2] as number),
        anchor,
      ),
    ).toBe(30);
    expect(
      topOf(
        rows.slice(4),
        rowOffsets(1, () => 20),
        anchor,
      ),
    ).toBe(0);
    expect(
      topOf(
        [],
        rowOffsets(0, () => 20),
        anchor,
      ),
    ).toBe(0);
  });
});

test('a pod keeps its colour, pods differ, and only changes are reported', () => {
  const pods = new PodList();
  const event = (podName: string, state: 'running' | 'joined' | 'ended') =>
    pods.event({ event: 'pod', podName, source: `${podName}/app/0`, state });
  expect([event('a', 'running'), event('b', 'joined'), event('b', 'joined'), event('b', 'running')]).toEqual([
    false,
    true,
    false,
    false,
  ]);
  expect([event('b', 'ended'), event('b', 'ended')]).toEqual([true, false]);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const colours = names.map((name) => pods.colourOf(name));
  expect(new Set(colours).size).toBe(6);
  expect(names.map((name) => pods.colourOf(name))).toEqual(colours);
  expect(new PodList().colourOf('a')).toBe(pods.colourOf('a'));
  expect(pods.pods.slice(0, 2)).toMatchObject([
    { name: 'a', ended: false },
    { name: 'b', ended: true },
  ]);
});

test('the address says what is read and how it is shown', () => {
  expect(readStreamChoice({ pod: '', since: '300', at: 'never' })).toEqual({
    ...{ pod: undefined, container: undefined },
    ...{ sinceSeconds: 300, at: null },
  });
  expect(readStreamChoice({ at: '2026-11-15T12:00:00+09:00', since: 'x' }).at).toBe(
    Date.parse('2026-11-15T03:00:00Z'),
  );
  expect(readViewOptions({ pods: 'a,b', q: 'x', show: 'matches', wrap: 'on', time: 'utc' })).toEqual({
    ...{ pods: new Set(['a', 'b']), query: 'x', onlyMatches: true },
    ...{ wrap: true, times: 'utc' },
  });
  expect(readViewOptions({ time: 'moon' })).toMatchObject({
    pods: null,
    query: '',
    wrap: false,
    times: 'kst',
  });
  expect([togglePod(null, 'b'), togglePod(new Set(['b']), 'a'), togglePod(new Set(['a']), 'a')]).toEqual([
    'b',
    'a,b',
    undefined,
  ]);
});

test('a build log has numbered lines and links to them', () => {
  expect(readBuildLog('a\n\nb\n')).toEqual([
    { place: 1, text: 'a' },
    { place: 2, text: '' },
    { place: 3, text: 'b' },
  ]);
  expect([readBuildLog(''), readLineHash('#L120'), readLineHash('L7'), readLineHash('#x')]).toEqual([
    [],
    120,
    7,
    null,
  ]);
});

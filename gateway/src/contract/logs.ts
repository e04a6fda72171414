/** The log API: runtime logs of a project as NDJSON, the log of a build as text. */
import { type Static, Type } from 'typebox';
import { AFTER_MAX, HEARTBEAT_SECONDS_MAX, SINCE_SECONDS_MAX, TAIL_LINES_MAX } from './log-limits.ts';

const toggle = (description: string) =>
  Type.Union([Type.Literal('true'), Type.Literal('false')], { description });

export const LogsQuery = Type.Object({
  tailLines: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: TAIL_LINES_MAX,
      description: 'Past lines to start with, across all pods; default: all.',
    }),
  ),
  follow: Type.Optional(toggle('Keeps the stream open for new lines. Default: false.')),
  container: Type.Optional(Type.String({ description: 'Only containers with this name.' })),
  sinceSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: SINCE_SECONDS_MAX,
      description: 'Only lines newer than this many seconds.',
    }),
  ),
  podName: Type.Optional(Type.String({ description: 'Only the pod with this name.' })),
  ids: Type.Optional(toggle('Adds an id to each line, and events for pods, gaps and having caught up.')),
  heartbeat: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: HEARTBEAT_SECONDS_MAX,
      description: 'Sends `{"event":"heartbeat"}` after this many seconds without a line.',
    }),
  ),
  after: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: AFTER_MAX,
      description: 'Resumes after the line with this id. Repeat it once per source.',
    }),
  ),
});

export const BuildLogQuery = Type.Object({
  numbers: Type.Optional(toggle('Whether lines are numbered. Default: true.')),
});

export const LogLineBody = Type.Object(
  {
    content: Type.String({ description: 'The line, without its line break.' }),
    podName: Type.String({ description: 'The pod that wrote it.' }),
    timeStamp: Type.String({
      format: 'date-time',
      description: 'When it was written, with nanoseconds.',
      examples: ['2026-11-15T03:00:00.123456789Z'],
    }),
    last: Type.Literal(false, { description: 'Always false.' }),
    id: Type.Optional(Type.String({ description: 'Only with ids=true.' })),
  },
  { description: 'A line of a pod.' },
);
export type LogLineBody = Static<typeof LogLineBody>;

/** The end of the logs. A stream that ends without it was interrupted. */
export const LogEndBody = Type.Object(
  { last: Type.Literal(true, { description: 'Always true.' }) },
  { description: 'The end of the logs. A stream that ends without it was interrupted.' },
);

/** Sent only with `ids` or `heartbeat`. */
export const LogEventBody = Type.Object(
  {
    event: Type.Union(
      [Type.Literal('pod'), Type.Literal('gap'), Type.Literal('caught_up'), Type.Literal('heartbeat')],
      { description: 'What happened. `gap`: lines may be missing before the next one.' },
    ),
    podName: Type.Optional(Type.String({ description: 'For a pod: its name.' })),
    container: Type.Optional(Type.String({ description: 'For a pod: the container.' })),
    restart: Type.Optional(
      Type.Integer({ description: 'For a pod: how often the container was restarted.' }),
    ),
    source: Type.Optional(Type.String({ description: 'The source of lines that the event is about.' })),
    id: Type.Optional(Type.String({ description: 'For a pod: the position before its next line.' })),
    state: Type.Optional(
      Type.Union([Type.Literal('joined'), Type.Literal('running'), Type.Literal('ended')], {
        description: 'For a pod: whether it is new, was there before, or has ended.',
      }),
    ),
    reason: Type.Optional(Type.String({ description: 'For a gap: why lines may be missing.' })),
  },
  { description: 'Something besides lines; sent only with `ids` or `heartbeat`.' },
);
export type LogEventBody = Static<typeof LogEventBody>;

/** One line of the response. */
export const LogStreamLine = Type.Union([LogLineBody, LogEndBody, LogEventBody], {
  description: 'One line of the answer.',
});

/** The log API: runtime logs of a project as NDJSON, the log of a build as text. */
import { type Static, Type } from 'typebox';
import { AFTER_MAX, HEARTBEAT_SECONDS_MAX, SINCE_SECONDS_MAX, TAIL_LINES_MAX } from './log-limits.ts';

const Switch = Type.Union([Type.Literal('true'), Type.Literal('false')]);

export const LogsQuery = Type.Object({
  tailLines: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: TAIL_LINES_MAX,
      description: 'Past lines to begin with, over all pods together; all of them when left out.',
    }),
  ),
  follow: Type.Optional(Switch),
  container: Type.Optional(Type.String({ description: 'Only containers of this name.' })),
  sinceSeconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: SINCE_SECONDS_MAX, description: 'Only lines this young.' }),
  ),
  podName: Type.Optional(Type.String({ description: 'Only the pod of this name.' })),
  ids: Type.Optional(
    Type.Union([Type.Literal('true'), Type.Literal('false')], {
      description: 'Adds an id to each line, and lines that tell of pods, gaps and having caught up.',
    }),
  ),
  heartbeat: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: HEARTBEAT_SECONDS_MAX,
      description: 'While nothing is written, `{"event":"heartbeat"}` every so many seconds.',
    }),
  ),
  after: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: AFTER_MAX,
      description: 'Goes on strictly after the line with this id; one for each source, repeated.',
    }),
  ),
});

export const BuildLogQuery = Type.Object({
  numbers: Type.Optional(Switch),
});

export const LogLineBody = Type.Object({
  content: Type.String(),
  podName: Type.String(),
  timeStamp: Type.String({ format: 'date-time', examples: ['2026-11-15T03:00:00.123456789Z'] }),
  last: Type.Literal(false),
  id: Type.Optional(Type.String({ description: 'Only with ids=true.' })),
});
export type LogLineBody = Static<typeof LogLineBody>;

/** Nothing comes after it. A stream that ends without it was cut. */
export const LogEndBody = Type.Object({ last: Type.Literal(true) });

/** Only where `ids` or `heartbeat` asked for them. */
export const LogEventBody = Type.Object({
  event: Type.Union([
    Type.Literal('pod'),
    Type.Literal('gap'),
    Type.Literal('caught_up'),
    Type.Literal('heartbeat'),
  ]),
  podName: Type.Optional(Type.String()),
  container: Type.Optional(Type.String()),
  restart: Type.Optional(Type.Integer()),
  source: Type.Optional(Type.String()),
  id: Type.Optional(Type.String({ description: 'Of a pod: the place its lines come after.' })),
  state: Type.Optional(Type.Union([Type.Literal('joined'), Type.Literal('running'), Type.Literal('ended')])),
  reason: Type.Optional(Type.String()),
});
export type LogEventBody = Static<typeof LogEventBody>;

/** One line of the answer. */
export const LogStreamLine = Type.Union([LogLineBody, LogEndBody, LogEventBody]);

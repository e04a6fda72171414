/** Hours of the day at which a special price applies, as price sheets and `pricing` write them. */
import { type Static, Type } from 'typebox';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

export const PricingHours = Type.Object(
  {
    from: Type.String({
      pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
      description: 'When they begin, in UTC.',
    }),
    to: Type.String({
      pattern: '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$',
      description: 'When they end, in UTC; this minute is not part of them. Before `from`: on the next day.',
    }),
    days: Type.Optional(
      Type.Array(Type.Enum([...weekdays]), {
        minItems: 1,
        uniqueItems: true,
        description: 'The days on which they begin. Without it: every day.',
      }),
    ),
    except: Type.Optional(
      Type.Array(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), {
        minItems: 1,
        maxItems: 400,
        description: 'Dates on which they do not begin, such as public holidays.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Only for calls that start in these hours.' },
);
export type PricingHours = Static<typeof PricingHours>;

/** As people read it: `16:30-00:30 UTC mon-fri, except 2027-01-01`. */
export function hoursText({ from, to, days, except }: PricingHours): string {
  const runs = days === undefined ? [] : dayRuns(days).map((run) => ` ${run.join('-')}`);
  return `${from}-${to} UTC${runs.join('')}${except === undefined ? '' : `, except ${except.join(' ')}`}`;
}

/** Single days, and the first and last of three or more days in a row. */
export function dayRuns(days: readonly Weekday[]): Weekday[][] {
  const runs: Weekday[][] = [[]];
  for (const day of weekdays) {
    if (days.includes(day)) runs.at(-1)?.push(day);
    else runs.push([]);
  }
  return runs.flatMap((run) =>
    run.length < 3 ? run.map((day) => [day]) : [[run[0], run.at(-1)] as Weekday[]],
  );
}

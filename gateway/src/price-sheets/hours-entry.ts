/** The hours of a special price in `tollgate.yaml`: those of the API, with what the reference says about their keys. */
import { Type } from 'typebox';
import { PricingHours } from '../contract/price-hours.ts';
import { about, closed } from '../yaml/about-key.ts';

const { from, to, days, except } = PricingHours.properties;

export const HoursEntry = Type.Object(
  {
    from: Type.String({ ...from, ...about('When they begin, in UTC.', { example: '16:30' }) }),
    to: Type.String({
      ...to,
      ...about('When they end, in UTC; this minute is not part of them. Before from: on the next day.', {
        example: '00:30',
      }),
    }),
    days: Type.Optional(
      Type.Array(days.items, {
        ...days,
        ...about('The days on which they begin.', { otherwise: 'every day', example: ['mon', 'fri'] }),
      }),
    ),
    except: Type.Optional(
      Type.Array(except.items, {
        ...except,
        ...about('Dates on which they do not begin, such as public holidays.', {
          otherwise: 'none',
          example: ['2027-01-01'],
        }),
      }),
    ),
  },
  { ...closed, ...about('Only for calls that start in these hours.', { otherwise: 'any' }) },
);

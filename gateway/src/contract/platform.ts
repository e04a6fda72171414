/** The platform management API: `GET /usage` and `GET /balance` of the management key's space. */
import { type Static, Type } from 'typebox';
import { DecimalString, described, nullable } from './schema.ts';

export const MONTH_PATTERN = '^\\d{4}-(?:0[1-9]|1[0-2])$';

export const UsageQuery = Type.Object({
  month: Type.Optional(
    Type.String({
      pattern: MONTH_PATTERN,
      description: 'A calendar month (KST). Default: the current one.',
      examples: ['2026-11'],
    }),
  ),
});

const dateTime = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-01T00:00:00+09:00'] });
const units = (description: string) => described(DecimalString, description);
const requestCount = Type.Integer({ description: 'Its requests in the month.' });

export const UsageRecord = Type.Object(
  {
    periodStart: dateTime('The first moment of the month (KST).'),
    periodEnd: dateTime('The first moment after the month (KST).'),
    totalCostUsage: units('Units charged in the month.'),
    totalRequestCount: Type.Integer({ description: 'Requests in the month.' }),
    activeVirtualKeyCount: Type.Integer({ description: 'Keys with at least one request in the month.' }),
    costsByModel: Type.Array(
      Type.Object({
        model: Type.String({ description: 'The model code.' }),
        cost: units('Units charged for it.'),
        requestCount,
      }),
      { description: 'The sums for each model.' },
    ),
    costsByVirtualKey: Type.Array(
      Type.Object({
        virtualKeyName: Type.String({ description: 'The name of the key.' }),
        creatorNickname: Type.Optional(
          nullable(Type.String({ description: 'The display name of the person who created it.' })),
        ),
        cost: units('Units charged for it.'),
        requestCount,
      }),
      { description: 'The sums for each key.' },
    ),
  },
  { description: 'The usage of a space in a month.' },
);
export type UsageRecord = Static<typeof UsageRecord>;

export const HeldUnits = Type.Object(
  {
    promo: units('Promo units, which expire and are used first.'),
    paid: units('Paid units.'),
    total: units('The sum of both.'),
  },
  { description: 'The units that the space has.' },
);

export const OverageUnits = Type.Object(
  {
    accrued: units('Units used beyond what the space held.'),
    allowed: Type.Boolean({ description: 'Whether the space may go on without units.' }),
  },
  { description: 'Use beyond the held units.' },
);

export const BalanceRecord = Type.Object(
  {
    held: HeldUnits,
    overage: OverageUnits,
    blocked: Type.Boolean({ description: 'Whether charged calls are rejected.' }),
  },
  { description: 'The balance of a space.' },
);
export type BalanceRecord = Static<typeof BalanceRecord>;

/** The platform management API: `GET /usage` and `GET /balance` of the management key's space. */
import { type Static, Type } from 'typebox';
import { DecimalString, nullable } from './schema.ts';

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

const DateTime = Type.String({ format: 'date-time', examples: ['2026-11-01T00:00:00+09:00'] });

export const UsageRecord = Type.Object({
  periodStart: DateTime,
  periodEnd: DateTime,
  totalCostUsage: DecimalString,
  totalRequestCount: Type.Integer(),
  activeVirtualKeyCount: Type.Integer({ description: 'Keys with at least one request in the month.' }),
  costsByModel: Type.Array(
    Type.Object({ model: Type.String(), cost: DecimalString, requestCount: Type.Integer() }),
  ),
  costsByVirtualKey: Type.Array(
    Type.Object({
      virtualKeyName: Type.String(),
      creatorNickname: Type.Optional(nullable(Type.String())),
      cost: DecimalString,
      requestCount: Type.Integer(),
    }),
  ),
});
export type UsageRecord = Static<typeof UsageRecord>;

export const BalanceRecord = Type.Object({
  held: Type.Object({ promo: DecimalString, paid: DecimalString, total: DecimalString }),
  overage: Type.Object({ accrued: DecimalString, allowed: Type.Boolean() }),
  blocked: Type.Boolean(),
});
export type BalanceRecord = Static<typeof BalanceRecord>;

/** The entry `retention` of `tollgate.yaml`: how many days rows are kept. */
import { Type } from 'typebox';

/** Calls and audit lines of the last month are always there: people ask about them, and retries refer to them. */
const MONTH_DAYS = 31;

export const RetentionEntry = Type.Object(
  {
    calls_days: Type.Optional(Type.Integer({ minimum: MONTH_DAYS })),
    errors_days: Type.Optional(Type.Integer({ minimum: 1 })),
    audit_days: Type.Optional(Type.Integer({ minimum: MONTH_DAYS })),
  },
  { additionalProperties: false },
);

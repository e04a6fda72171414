/** The entry `retention` of `tollgate.yaml`: how many days rows are kept. */
import { Type } from 'typebox';
import { about, closed } from '../yaml/about-key.ts';
import { retentionDefaults } from './config-defaults.ts';

/** Calls and audit lines of the last month are always there: people ask about them, and retries refer to them. */
const MONTH_DAYS = 31;
/** An event of this month must be known until the month is over, so that it does not happen again. */
const ALERTS_DAYS_MIN = 62;

export const RetentionEntry = Type.Object(
  {
    calls_days: Type.Optional(
      Type.Integer({
        minimum: MONTH_DAYS,
        ...about('Calls: receipts, lists of requests, tollgate why.', { otherwise: 'forever', example: 400 }),
      }),
    ),
    errors_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        ...about('Rejected requests, for tollgate why.', { default: retentionDefaults.errorsDays }),
      }),
    ),
    audit_days: Type.Optional(
      Type.Integer({
        minimum: MONTH_DAYS,
        ...about('Lines of the audit log.', { otherwise: 'forever', example: 800 }),
      }),
    ),
    alerts_days: Type.Optional(
      Type.Integer({
        minimum: ALERTS_DAYS_MIN,
        ...about('Events of alerts, and the log of their deliveries.', {
          default: retentionDefaults.alertsDays,
        }),
      }),
    ),
  },
  {
    ...closed,
    ...about('How many days rows are kept. What is charged and reported stays right without them.'),
  },
);

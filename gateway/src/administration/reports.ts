/** What an operator may ask: usage, balance, who did what, and why a request was answered as it was. */
import { listAudit } from '../access/audit.store.ts';
import { MONTH_PATTERN } from '../contract/platform.ts';
import { isoOf, monthOf } from '../kernel/time.ts';
import { REFUSAL_KEPT_DAYS } from '../metering/refusals.ts';
import { explain } from '../reports/explain.ts';
import { balanceRecord } from '../reports/platform-reports.ts';
import { type UsageDimension, usageBreakdown, usageDimensions } from '../reports/usage-breakdown.ts';
import { spaceNamed, text, whole } from './args.ts';
import { type AdminCommands, AdminError, question } from './command.ts';

const BY = new RegExp(`^(${usageDimensions.join('|')})$`);
const REF = /^[a-z]+_[0-9a-z]{1,64}$/;

export const reportCommands: AdminCommands = {
  'reports.usage': question(async ({ db, clock }, args) => {
    const space = await spaceNamed(db, args);
    const month =
      args.month === undefined ? monthOf(clock.now()) : text(args, 'month', new RegExp(MONTH_PATTERN));
    const by = text(args, 'by', BY) as UsageDimension;
    return { space: space.name, ...(await usageBreakdown(db, { spaceId: space.id, month, by })) };
  }),

  'reports.balance': question(async ({ db, clock }, args) => {
    const space = await spaceNamed(db, args);
    return { space: space.name, ...(await balanceRecord(db, space.id, clock.now())) };
  }),

  'audit.list': question(async ({ db }, args) => {
    const spaceId = args.space === undefined ? null : (await spaceNamed(db, args)).id;
    const limit = whole(args, 'limit', { min: 1, max: 1_000, unless: 20 });
    return (await listAudit(db, { spaceId, limit })).map((entry) => ({ ...entry, at: isoOf(entry.at) }));
  }),

  why: question(async ({ db }, args) => {
    const ref = text(args, 'ref', REF);
    const explanation = await explain(db, ref, null);
    if (explanation !== null) return explanation;
    throw new AdminError(
      `Nothing is known of ${ref}. Refused requests are kept for ${REFUSAL_KEPT_DAYS} days; in a flood of them only ` +
        'some are. Look for it in the log of the gateway.',
    );
  }),
};

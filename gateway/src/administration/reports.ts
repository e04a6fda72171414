/** Reports: usage, balance, the audit log, and the explanation of a request. */
import { Type } from 'typebox';
import { listAudit } from '../access/audit.store.ts';
import { MONTH_PATTERN } from '../contract/platform.ts';
import { isoOf, monthOf } from '../kernel/time.ts';
import { REFUSAL_KEPT_DAYS } from '../metering/refusals.ts';
import { explain } from '../reports/explain.ts';
import { balanceRecord } from '../reports/platform-reports.ts';
import { usageBreakdown, usageDimensions } from '../reports/usage-breakdown.ts';
import { AdminError } from './admin-error.ts';
import { fields, inSpace, LIST_LIMIT_DEFAULT, ListLimit } from './input-fields.ts';
import { spaceNamed } from './named-records.ts';
import { read } from './operation.ts';

const usage = read({
  name: 'reports.usage',
  input: fields({
    ...inSpace,
    /** By default the current one. */
    month: Type.Optional(
      Type.String({ pattern: MONTH_PATTERN, description: 'A calendar month (KST) as YYYY-MM.' }),
    ),
    by: Type.Enum(usageDimensions),
  }),
  async run({ db, clock }, input) {
    const { month = monthOf(clock.now()), by } = input;
    const space = await spaceNamed(db, input);
    return { space: space.name, ...(await usageBreakdown(db, { spaceId: space.id, month, by })) };
  },
});

const balance = read({
  name: 'reports.balance',
  input: fields(inSpace),
  async run({ db, clock }, input) {
    const space = await spaceNamed(db, input);
    return { space: space.name, ...(await balanceRecord(db, space.id, clock.now())) };
  },
});

const audit = read({
  name: 'audit.list',
  input: fields({ ...inSpace, limit: ListLimit }),
  async run({ db }, input) {
    const spaceId = input.space === undefined ? null : (await spaceNamed(db, input)).id;
    const lines = await listAudit(db, { spaceId, limit: input.limit ?? LIST_LIMIT_DEFAULT });
    return lines.map((line) => ({ ...line, at: isoOf(line.at) }));
  },
});

const why = read({
  name: 'why',
  input: fields({
    ref: Type.String({
      pattern: '^[a-z]+_[0-9a-z]{1,64}$',
      description: 'The id of a request (x-request-id or error_ref) or of a job, such as req_….',
    }),
  }),
  async run({ db }, { ref }) {
    const explanation = await explain(db, ref, null);
    if (explanation !== null) return explanation;
    throw new AdminError(
      `There is no record of ${ref}. Rejected requests are kept for ${REFUSAL_KEPT_DAYS} days, and under load only a ` +
        'sample of them is kept. Search the log of the gateway for it.',
    );
  },
});

export const reportOperations = [usage, balance, audit, why] as const;

/**
 * Usage and costs in the form of OpenAI's API. The costs of the buckets of a month (KST) add up to its usage and to its
 * statement, to the last digit.
 */
import type { BucketQuery } from '../../contract/organization/bucket-query.ts';
import {
  costLimits,
  costsReport,
  type OrganizationReport,
  type UsageCount,
  type UsageField,
  usageLimits,
} from '../../contract/organization/usage-reports.ts';
import { callKindNames, callKinds, textKinds } from '../../contract/paid-endpoints.ts';
import type { Database } from '../../database/database.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Clock } from '../../kernel/time.ts';
import type { UnitValue } from '../../kernel/unit-value.ts';
import { whenAvailable } from '../../kernel/when-available.ts';
import type { CountedRow, WorkRow } from './asked-work.ts';
import { costResults } from './cost-results.ts';
import { readCosts } from './costs.store.ts';
import { readCountedWork } from './counted-work.store.ts';
import { findUnknownId } from './known-names.store.ts';
import { readQuestion, type UsageReader } from './read-question.ts';
import { writeBuckets } from './write-page.ts';

export interface OrganizationReportsOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** What a unit is worth; null: the installation does not state it. */
  readonly unitValue: () => UnitValue | null;
}

export class OrganizationReports {
  readonly #options: OrganizationReportsOptions;

  constructor(options: OrganizationReportsOptions) {
    this.#options = options;
  }

  /** The page as JSON. */
  async usage(report: OrganizationReport, reader: UsageReader, query: BucketQuery): Promise<string> {
    const { db, clock } = this.#options;
    const of = { report: report.path, reader, limits: usageLimits, now: clock.now() };
    const question = readQuestion(query, of);
    const counts = countsOf(report);
    const kinds = kindsOf(report);
    const having = report.of !== null && 'runs' in report.of ? report.of.runs : null;
    const rows = await this.#read(reader, query, async () =>
      kinds.length === 0 || question.buckets.length === 0
        ? []
        : await readCountedWork(db, { ...question.work, kinds, counts, having }),
    );
    return writeBuckets(question, rows, (found) => found.map((row) => usageResult(report, row)));
  }

  /** The page as JSON. */
  async costs(reader: UsageReader, query: BucketQuery): Promise<string> {
    const { db, clock, unitValue } = this.#options;
    const of = { report: costsReport.path, reader, limits: costLimits, now: clock.now() };
    const question = readQuestion(query, of);
    const rows = await this.#read(reader, query, async () =>
      question.buckets.length === 0 ? [] : await readCosts(db, question.work),
    );
    return writeBuckets(question, rows, (found) => costResults(found, query.group_by ?? [], unitValue()));
  }

  async #read<Row>(reader: UsageReader, query: BucketQuery, read: () => Promise<Row[]>): Promise<Row[]> {
    return await whenAvailable(
      async () => {
        const unknown = await findUnknownId(this.#options.db, query, reader.spaceIds);
        if (unknown === null) return await read();
        throw new Problem('invalid_parameter', {
          detail: `${unknown.param} names ${JSON.stringify(unknown.id)}, which is no id that you can see. Send ids, not names.`,
          param: unknown.param,
        });
      },
      { detail: 'Usage cannot be read right now. Try again in a few seconds.' },
    );
  }
}

/** The kinds of calls that a report counts. Providers run tools in text calls. */
function kindsOf({ of }: OrganizationReport): readonly string[] {
  if (of === null) return [];
  if ('runs' in of) return textKinds;
  return callKindNames.filter((kind) => callKinds[kind].makes === of.makes);
}

function countsOf({ fields }: OrganizationReport): UsageCount[] {
  const named = Object.values(fields).flatMap(({ adds, without = [] }) =>
    adds === 'requests' ? [] : [...adds, ...without],
  );
  return [...new Set(named)];
}

function usageResult(report: OrganizationReport, row: CountedRow): object {
  return {
    object: report.object,
    ...Object.fromEntries(
      Object.entries(report.fields).map(([name, field]) => [name, fieldValue(field, row)]),
    ),
    ...groupValues(report, row),
  };
}

function fieldValue({ adds, without = [] }: UsageField, { requests, counts }: CountedRow): number {
  if (adds === 'requests') return requests;
  const sum = (names: readonly UsageCount[]): number =>
    names.reduce((so, name) => so + (counts[name] ?? 0), 0);
  return sum(adds) - sum(without);
}

function groupValues({ groups }: Pick<OrganizationReport, 'groups'>, row: WorkRow): object {
  return Object.fromEntries(groups.map((group) => [group, group === 'line_item' ? row.model : row[group]]));
}

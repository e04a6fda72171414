/** What a usage report asks the database for. */
import type { Grouping, UsageCount } from '../../contract/organization/usage-reports.ts';
import type { Instant } from '../../kernel/time.ts';

/** Whose usage is read. Empty lists do not filter. */
export interface WorkFilters {
  /** Null: all spaces. */
  readonly spaceIds: readonly string[] | null;
  readonly memberIds: readonly string[];
  readonly keyIds: readonly string[];
  readonly models: readonly string[];
  /** Null: both. */
  readonly batch: boolean | null;
}

export interface AskedWork {
  readonly filters: WorkFilters;
  /** The starts of the buckets. */
  readonly starts: readonly Instant[];
  /** The end of the last bucket, which is not included. */
  readonly until: Instant;
  /** Whether buckets are days. */
  readonly byDay: boolean;
  readonly groups: readonly Grouping[];
  readonly rowsMax: number;
}

/** Calls of some kinds, and what is counted of them. */
export interface CountedWork extends AskedWork {
  /** The `endpoint` of calls. */
  readonly kinds: readonly string[];
  readonly counts: readonly UsageCount[];
  /** Only calls in which this is not zero. */
  readonly having: UsageCount | null;
}

/** A result of a bucket. A group that was not asked for is null. */
export interface WorkRow {
  /** From 1. */
  readonly bucket: number;
  readonly project_id: string | null;
  readonly user_id: string | null;
  readonly api_key_id: string | null;
  readonly model: string | null;
  readonly batch: boolean | null;
  readonly service_tier: string | null;
  readonly requests: number;
}

export interface CountedRow extends WorkRow {
  readonly counts: Readonly<Record<string, number>>;
  /** Requests that were removed, and of which it is not known in which bucket they were, or what they counted. */
  readonly lost: number;
}

export interface CostRow extends WorkRow {
  /** The month (KST), whose rate is valid. */
  readonly month: string;
  readonly unpriced: number;
  /** A decimal: units. */
  readonly cost: string;
  readonly lost: number;
}

/**
 * Every table belongs to one room. SQL of a room may read tables of rooms that it may import, and writes only its
 * own: an import that goes upward is visible in the code, SQL that looks upward is not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mayImport } from '../support/house-plan.ts';

const source = path.resolve(import.meta.dirname, '../../src');

const OWNERS: Record<string, readonly string[]> = {
  jobs: ['jobs'],
  blobs: ['blob_holds', 'pending_blobs'],
  access: [
    ...[
      'access_epoch',
      'admin_tokens',
      'audit_log',
      'builds',
      'finished_sign_ins',
      'identities',
      'invitations',
    ],
    ...['keys', 'members', 'people', 'project_ids', 'projects', 'secrets', 'sessions', 'sign_in_attempts'],
    ...['sign_in_links', 'spaces', 'device_sign_ins', 'first_operator_links'],
    ...['workload_subjects', 'workloads', 'budget_raises', 'budget_requests', 'budgets'],
  ],
  processes: ['processes', 'writers'],
  alerts: ['alert_settings', 'alert_targets', 'deliveries', 'events'],
  ledger: ['accounts', 'dues', 'grants', 'journal', 'settled_dues'],
  metering: [
    'attributed_days',
    'attributed_months',
    'attributions',
    'budget_parts',
    'calls',
    'corrections',
    'day_parts',
    'key_days',
    'left_calls',
    'month_parts',
    'price_sheets',
    'provider_price_sheets',
    'purses',
    'refusals',
    'removed_calls',
    'removed_usage',
    'removed_entries',
    'reserves',
    'slices',
  ],
  rates: ['rate_counts'],
  'stored-answers': ['repeatable_call_parts', 'repeatable_calls'],
  idempotency: ['idempotency_keys'],
  'batch-files': ['files'],
  media: ['media', 'provider_assets', 'reference_files'],
  responses: ['kept_items', 'kept_media', 'kept_media_uses', 'kept_responses', 'kept_usage'],
  batches: ['batch_lines', 'batches', 'line_receipts'],
  video: ['video_jobs'],
  administration: ['admin_repeats'],
};
const ownerOf = new Map(
  Object.entries(OWNERS).flatMap(([room, tables]) => tables.map((table) => [table, room])),
);

interface Use {
  readonly table: string;
  readonly writes: boolean;
}

describe('tables and the rooms that own them', () => {
  it('every table of the schema has an owner, and every owner has its tables', () => {
    expect([...ownerOf.keys()].toSorted()).toEqual(tablesOfSchema());
  });

  it('stores read tables of rooms below them and write only their own', () => {
    const stores = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll(path.sep, '/'))
      .filter((file) => file.endsWith('.store.ts'));
    expect(stores.length).toBeGreaterThan(20);
    const findings = stores.flatMap((file) => inspect(file, readFileSync(path.join(source, file), 'utf8')));
    if (findings.length > 0) expect.fail(`\n${findings.join('\n')}\n`);
  });

  it.each([
    ['metering/a.store.ts', 'select 1 from batches', 'metering/a.store.ts reads batches of batches'],
    ['batch-files/a.store.ts', 'select 1 from files f join video_jobs on true', 'reads video_jobs of video'],
    ['reports/a.store.ts', 'update calls set cost = 0', 'reports/a.store.ts writes calls of metering'],
    ['metering/a.store.ts', 'insert into accounts (a) values (1)', 'writes accounts of ledger'],
    ['calls/a.store.ts', 'with x as (delete from journal returning id) select id from x', 'writes journal'],
  ])('%s with "%s" is reported', (file, sql, words) => {
    const findings = inspect(file, `const a = sql\`${sql}\`;`);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain(words);
  });

  it.each([
    ['reports/a.store.ts', 'select 1 from batches join video_jobs on true'],
    ['batches/a.store.ts', 'update batches set x = 1 where id in (select id from jobs)'],
    ['ledger/a.store.ts', 'insert into journal as j (a) select 1 from spaces'],
  ])('%s with "%s" is left alone', (file, sql) => {
    expect(inspect(file, `const a = sql\`${sql}\`;`)).toEqual([]);
  });
});

function inspect(file: string, text: string): string[] {
  const room = file.split('/')[0] as string;
  return usesOf(text).flatMap(({ table, writes }) => {
    const owner = ownerOf.get(table) as string;
    if (owner === room || (!writes && mayImport(room, owner))) return [];
    return [`${file} ${writes ? 'writes' : 'reads'} ${table} of ${owner}`];
  });
}

/** The tables that the templates of a file name after a word of SQL that tables follow. */
function usesOf(text: string): Use[] {
  const found = new Map<string, Use>();
  for (const [template] of text.matchAll(/`[^`]*`/g)) {
    for (const match of template.matchAll(/\b(from|join|into|update|delete\s+from|,)\s+(\w+)/g)) {
      const [, word = '', table = ''] = match;
      if (!ownerOf.has(table)) continue;
      const isList = word === ',';
      if (isList && !/\bfrom\b[^()]*$/.test(template.slice(0, match.index))) continue;
      const writes = /^(into|update|delete)/.test(word) && !/for\s+$/.test(template.slice(0, match.index));
      found.set(`${table} ${writes}`, { table, writes });
    }
  }
  return [...found.values()];
}

function tablesOfSchema(): string[] {
  const folder = path.join(source, 'database/migrations');
  const tables = new Set<string>();
  for (const file of readdirSync(folder).toSorted()) {
    const text = readFileSync(path.join(folder, file), 'utf8');
    for (const [, made, dropped, renamed] of text.matchAll(
      /create (?:unlogged )?table (?:if not exists )?(\w+)|(?:drop|alter) table (?:if exists )?(\w+)(?: rename to (\w+)|;)/gi,
    )) {
      if (made !== undefined) tables.add(made);
      if (renamed !== undefined) tables.add(renamed);
      if (dropped !== undefined) tables.delete(dropped);
    }
  }
  return [...tables].toSorted();
}

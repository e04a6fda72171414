/** The lists of the ledger of a space, newest first: journal entries, invoices and grants. */
import { boundedScan, type ScannedRow, scannedPage } from '../../database/bounded-scan.ts';
import { type Queryable, timestamp } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, type Sql, sql } from '../../database/sql.ts';
import type { Instant } from '../../kernel/time.ts';
import { isByHand } from '../../ledger/journal.store.ts';
import type { EntryKind, GrantKind } from '../../ledger/postings.ts';
import { settledGrants } from '../../ledger/settle.store.ts';
import type { ListedRow } from './listed-row.ts';

export type EntryFilters = Filters<{
  kind: EntryKind;
  from: Instant;
  /** Not included. */
  until: Instant;
}>;

type EntryListRow = ListedRow<'ledger.list'>;

const newestEntries = new ListOrder('journal entries', ['whole', 'whole']);

/** Entries other than charges and payments have an index of their own; one kind of them examines `SCANNED_ROWS_MAX` of these. */
export async function readEntryPage(
  db: Queryable,
  of: EntryFilters & { spaceId: string } & PageRequest,
): Promise<Page<EntryListRow>> {
  const { limit } = of;
  const scanned = await readEntries(db, of, newestEntries.position(of.after));
  return scannedPage(newestEntries, scanned, { limit, positionOf: ({ at, entry }) => [at, entry] });
}

async function readEntries(
  db: Queryable,
  of: EntryFilters & { spaceId: string; limit: number },
  position: readonly [number, number] | null,
): Promise<Array<EntryListRow & ScannedRow>> {
  const range = [sql`j.space_id = ${of.spaceId}`];
  if (of.kind && of.kind !== 'charge' && of.kind !== 'payment') range.push(isByHand(sql`j`));
  if (position !== null) range.push(sql`(j.at, j.id) < (${timestamp(position[0])}, ${position[1]})`);
  if (of.from != null) range.push(sql`j.at >= ${timestamp(of.from)}`);
  if (of.until != null) range.push(sql`j.at < ${timestamp(of.until)}`);
  const rows = sql`select j.* from journal j where ${allOf(range)} order by j.at desc, j.id desc`;
  const matching = of.kind ? sql`s.kind = ${of.kind}` : sql`true`;
  return await db.query<EntryListRow & ScannedRow>(sql`
    select p.id as entry, p.at, p.kind, p.ref, trim_scale(p.issued)::text as issued, trim_scale(p.promo)::text as promo,
      trim_scale(p.paid)::text as paid, trim_scale(p.overage)::text as overage, trim_scale(p.spent)::text as spent,
      trim_scale(p.expired)::text as expired, trim_scale(p.invoiced)::text as invoiced,
      trim_scale(p.due)::text as due, p.note, p.matches, p.nth
    from (${boundedScan({ rows, matching, limit: of.limit })}) p order by p.at desc, p.id desc`);
}

const newestInvoices = new ListOrder('invoices', ['whole', 'whole']);

export async function readInvoicePage(
  db: Queryable,
  of: Omit<EntryFilters, 'kind'> & { spaceId: string } & PageRequest,
): Promise<Page<ListedRow<'invoices.list'>>> {
  const { limit } = of;
  const wanted = { ...of, kind: 'invoice' } as const;
  const scanned = await readEntries(db, wanted, newestInvoices.position(of.after));
  const page = scannedPage(newestInvoices, scanned, { limit, positionOf: ({ at, entry }) => [at, entry] });
  // Overage that is invoiced is owed no more, so this account grows by what the invoice asks for.
  const rows = page.rows.map(({ ref: id, at, overage: units, note, entry }) => ({
    id,
    at,
    units,
    note,
    entry,
  }));
  return { rows, next: page.next };
}

export type GrantFilters = Filters<{ kind: GrantKind; expired: boolean }>;

const newestGrants = new ListOrder('grants', ['text']);

/**
 * What remains of a grant when all calls are paid. What remains of an expired grant counts no more; it becomes zero when
 * its expiry is written to the journal.
 */
export async function readGrantPage(
  db: Queryable,
  of: GrantFilters & { spaceId: string; now: Instant } & PageRequest,
): Promise<Page<ListedRow<'grants.list'>>> {
  const { limit } = of;
  const expired = sql`coalesce(g.expires_at <= ${timestamp(of.now)}, false)`;
  const conditions: Sql[] = [sql`true`];
  const position = newestGrants.position(of.after);
  if (position !== null) conditions.push(sql`g.id < ${position[0]}`);
  if (of.kind) conditions.push(sql`g.kind = ${of.kind}`);
  if (of.expired != null) conditions.push(sql`${expired} = ${of.expired}`);
  const rows = await db.query<ListedRow<'grants.list'>>(sql`
    select g.id, g.kind, trim_scale(g.amount)::text as amount, trim_scale(g.remaining)::text as remaining,
      g.expires_at, g.note, g.created_at
    from (${settledGrants(of.spaceId, of.now)}) g where ${allOf(conditions)} order by g.id desc limit ${limit + 1}`);
  return newestGrants.page(rows, limit, ({ id }) => [id]);
}

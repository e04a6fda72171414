/** The lists of the media of a space, newest first: uploaded references, and the files that jobs produced. */
import type { ReferenceKind, ReferenceTrack } from '../../contract/reference-kinds.ts';
import type { MediaStatus } from '../../contract/video.ts';
import { boundedScan, type ScannedRow, scannedPage } from '../../database/bounded-scan.ts';
import { type Queryable, timestamp } from '../../database/database.ts';
import { type Filters, ListOrder, type Page, type PageRequest } from '../../database/page.ts';
import { allOf, sql } from '../../database/sql.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ListedRow } from './listed-row.ts';
import { joinOwner, ownerColumns } from './owner-names.store.ts';

export type ReferenceFilters = Filters<{
  kind: ReferenceKind;
  track: ReferenceTrack;
  /** The id of a member or of a shared key. */
  owner: string;
}>;

const newestReferences = new ListOrder('references', ['text']);

/** Without expired ones. Kind and track examine a limited number of rows per page (`SCANNED_ROWS_MAX`). */
export async function readReferencePage(
  db: Queryable,
  of: ReferenceFilters & { spaceId: string; now: Instant } & PageRequest,
): Promise<Page<ListedRow<'references.list'>>> {
  const { limit } = of;
  const range = [sql`r.space_id = ${of.spaceId}`];
  const position = newestReferences.position(of.after);
  if (position !== null) range.push(sql`r.id < ${position[0]}`);
  const conditions = [sql`s.expires_at > ${timestamp(of.now)}`];
  if (of.kind) conditions.push(sql`s.kind = ${of.kind}`);
  if (of.track) conditions.push(sql`s.track = ${of.track}`);
  if (of.owner) range.push(sql`r.owner = ${of.owner}`);
  const rows = sql`select r.id, r.kind, r.track, r.expires_at from reference_files r where ${allOf(range)} order by r.id desc`;
  const scanned = await db.query<ListedRow<'references.list'> & ScannedRow>(sql`
    select p.id, ${ownerColumns}, p.kind, p.track, p.mime_type, p.bytes, p.created_at, p.expires_at, f.matches, f.nth
    from (${boundedScan({ rows, matching: allOf(conditions), limit })}) f
    join reference_files p on p.id = f.id ${joinOwner}
    order by p.id desc`);
  return scannedPage(newestReferences, scanned, { limit, positionOf: ({ id }) => [id] });
}

export type MediaListRow = ListedRow<'media.list'>;

export type MediaFilters = Filters<{
  jobId: string;
  kind: 'video';
  status: MediaStatus;
  /** The id of a member or of a shared key. */
  owner: string;
}>;

const newestMedia = new ListOrder('media', ['text']);

/** Without expired ones. Kind and status examine a limited number of rows per page (`SCANNED_ROWS_MAX`). */
export async function readMediaPage(
  db: Queryable,
  of: MediaFilters & { spaceId: string; now: Instant } & PageRequest,
): Promise<Page<MediaListRow>> {
  const { limit } = of;
  const range = [sql`m.space_id = ${of.spaceId}`];
  const position = newestMedia.position(of.after);
  if (of.jobId) range.push(sql`m.job_id = ${of.jobId}`);
  if (position !== null) range.push(sql`m.id < ${position[0]}`);
  const conditions = [sql`(s.expires_at is null or s.expires_at > ${timestamp(of.now)})`];
  if (of.kind) conditions.push(sql`s.kind = ${of.kind}`);
  if (of.status) conditions.push(sql`s.status = ${of.status}`);
  if (of.owner) range.push(sql`m.owner = ${of.owner}`);
  const rows = sql`select m.id, m.kind, m.status, m.expires_at from media m where ${allOf(range)} order by m.id desc`;
  const scanned = await db.query<MediaListRow & ScannedRow>(sql`
    select p.id, ${ownerColumns}, p.job_id, p.status, p.mime_type, p.bytes,
      p.duration_seconds::float8 as duration_seconds, p.width, p.height, p.created_at, p.expires_at, f.matches, f.nth
    from (${boundedScan({ rows, matching: allOf(conditions), limit })}) f join media p on p.id = f.id ${joinOwner}
    order by p.id desc`);
  return scannedPage(newestMedia, scanned, { limit, positionOf: ({ id }) => [id] });
}

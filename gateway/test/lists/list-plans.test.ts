/** A page costs the same however many rows there are: it is read from an index that has the rows in its order. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFilePage, findSameUpload } from '../../src/batch-files/files.store.ts';
import { findBatchPage } from '../../src/batches/batches.store.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { findReferencePage } from '../../src/media/references.store.ts';
import { findVideoJobPage } from '../../src/video/video-jobs.store.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';

const ROWS = 2_000;
const scope = { spaceId: 'spc_1', owner: 'mem_1', now: systemClock.now() };
const page = { after: null, limit: 20 };

describe.each(engines)('the plans of lists on %s, without statistics', (engine) => {
  let place: TestPlace;
  let db: Database;
  beforeAll(async () => {
    place = await makePlace(engine);
    db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
    await db.query(
      sql`insert into spaces (id, name, overage_allowed, created_at) values ('spc_1', 'a', true, now())`,
    );
    await db.query(sql`
      insert into files (id, space_id, owner, purpose, filename, bytes, sha256, blob, row_count, model, endpoint,
        embedding_inputs, created_at, expires_at)
      select 'file_' || lpad(i::text, 26, '0'), 'spc_1', 'mem_1', 'batch', 'f', 1, i::text, i::text, 1, 'm', 'e', 0, now(),
        now() + interval '1 day' from generate_series(1, ${ROWS}::integer) i`);
    await db.query(sql`
      insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, total, created_at, expires_at)
      select 'batch_' || lpad(i::text, 26, '0'), 'spc_1', 'mem_1', 'k', 'f', 'e', 'm', 'validating', 1, now(), now()
      from generate_series(1, ${ROWS}::integer) i`);
    await db.query(sql`
      insert into video_jobs (id, space_id, owner, key_id, model, status, created_at, expires_at)
      select 'job_' || lpad(i::text, 26, '0'), 'spc_1', 'mem_1', 'k', 'm', 'queued', now(), now()
      from generate_series(1, ${ROWS}::integer) i`);
    await db.query(sql`
      insert into reference_files (id, space_id, owner, track, kind, mime_type, bytes, sha256, created_at, expires_at)
      select 'ref_' || lpad(i::text, 26, '0'), 'spc_1', 'mem_1', 'file', 'image', 'image/png', 1, 's', now(),
        now() + interval '1 day' from generate_series(1, ${ROWS}::integer) i`);
  });
  afterAll(async () => {
    await db.close();
    await place.remove();
  });

  /** The plan of the one statement that `work` runs. */
  async function planOf(work: (at: Queryable) => Promise<unknown>): Promise<string> {
    let plan = '';
    await work({
      async query(statement) {
        const rows = await db.query<Record<string, string>>({
          ...statement,
          text: `explain ${statement.text}`,
        });
        plan = rows.flatMap((row) => Object.values(row)).join('\n');
        return [];
      },
    });
    return plan;
  }

  test.each<[string, string, (at: Queryable) => Promise<unknown>]>([
    ['files', 'files_by_owner', (at) => findFilePage(at, scope, { ...page, purpose: null })],
    ['results', 'files_by_owner', (at) => findFilePage(at, scope, { ...page, purpose: 'batch_output' })],
    [
      'old files',
      'files_by_owner',
      (at) => findFilePage(at, scope, { ...page, order: 'asc', purpose: null }),
    ],
    ['batches', 'batches_by_owner', (at) => findBatchPage(at, scope, page)],
    ['jobs', 'video_jobs_by_owner', (at) => findVideoJobPage(at, scope, page)],
    ['references', 'reference_files_by_owner', (at) => findReferencePage(at, scope, page)],
  ])('%s are read in order from %s, and nothing is sorted', async (_, index, work) => {
    const plan = await planOf(work);
    expect(plan).toContain(`using ${index}`);
    expect(plan).not.toMatch(/\bSort {2}\(|Seq Scan/);
  });

  test('the same bytes of an owner are still found by their digest', async () => {
    const content = { spaceId: 'spc_1', owner: 'mem_1', sha256: '7', bytes: 1 };
    expect(await planOf((at) => findSameUpload(at, content, 0))).toContain('using files_by_content');
    expect(await findSameUpload(db, content, 0)).toBe(`file_${'7'.padStart(26, '0')}`);
  });
});

/** What every list guarantees: each row once, in a stable order, of one's own space only, after a valid cursor. */
import { describe, expect, test } from 'vitest';
import { type Database, timestamp } from '../../src/database/database.ts';
import type { Cursor, Page } from '../../src/database/page.ts';
import { json, sql } from '../../src/database/sql.ts';
import { newId } from '../../src/kernel/ids.ts';
import { parseUnits } from '../../src/kernel/units.ts';
import { giveUnits } from '../../src/ledger/grants.store.ts';
import { insertEntry } from '../../src/ledger/journal.store.ts';
import { invoiceEntry } from '../../src/ledger/postings.ts';
import { readAuditPage } from '../../src/reports/lists/audit-page.store.ts';
import { readBatchPage } from '../../src/reports/lists/batch-page.store.ts';
import { readJobPage } from '../../src/reports/lists/job-page.store.ts';
import { readEntryPage, readGrantPage, readInvoicePage } from '../../src/reports/lists/journal-page.store.ts';
import { readKeyPage } from '../../src/reports/lists/key-page.store.ts';
import { readMediaPage, readReferencePage } from '../../src/reports/lists/media-page.store.ts';
import { readMemberPage } from '../../src/reports/lists/member-page.store.ts';
import { readPersonPage } from '../../src/reports/lists/person-page.store.ts';
import { readBuildPage, readProjectPage } from '../../src/reports/lists/project-page.store.ts';
import { readRequestPage } from '../../src/reports/lists/request-page.store.ts';
import { readSpacePage } from '../../src/reports/lists/space-page.store.ts';
import { readKeyUsagePage } from '../../src/reports/lists/usage-page.store.ts';
import { engines } from '../support/engines.ts';
import {
  makeKey,
  makeListSpace,
  makeMember,
  NOW,
  numberedId,
  readAll,
  useDatabase,
} from '../support/list-stage.ts';
import { mistyped } from '../support/mistyped.ts';

interface ListCase {
  readonly name: string;
  /** Rows of higher numbers come later in the list, or earlier if it shows the newest first. */
  readonly newestFirst: boolean;
  /** Returns what the list calls the row. */
  insert(db: Database, spaceId: string, n: number): Promise<string>;
  read(db: Database, spaceId: string, page: { after: Cursor | null; limit: number }): Promise<Page<unknown>>;
  nameOf(row: never): string;
  /** The list of the installation has no space of its own. */
  readonly everywhere?: true;
}

const text = (n: number): string => String(n).padStart(4, '0');
const idOf = ({ id }: { id: string | number }): string => String(id);

const cases: readonly ListCase[] = [
  {
    name: 'keys by name',
    newestFirst: false,
    // Upper and lower case sort together.
    insert: (db, spaceId, n) => makeKey(db, spaceId, { name: `${n % 2 ? 'K' : 'k'}-${text(n)}` }),
    read: (db, spaceId, page) => readKeyPage(db, { spaceId, order: 'name', now: NOW, ...page }),
    nameOf: idOf,
  },
  {
    name: 'keys by creation',
    newestFirst: true,
    insert: (db, spaceId, n) => makeKey(db, spaceId, { name: `k-${text(-n)}`, at: NOW + n }),
    read: (db, spaceId, page) => readKeyPage(db, { spaceId, order: 'created', now: NOW, ...page }),
    nameOf: idOf,
  },
  {
    name: 'members',
    newestFirst: false,
    insert: async (db, spaceId, n) =>
      (await makeMember(db, spaceId, { email: `${n % 2 ? 'P' : 'p'}${text(n)}@example.com` })).id,
    read: (db, spaceId, page) => readMemberPage(db, { spaceId, now: NOW, ...page }),
    nameOf: idOf,
  },
  {
    name: 'requests that reached a model',
    newestFirst: true,
    insert: async (db, spaceId, n) => await insertCall(db, spaceId, n),
    read: (db, spaceId, page) => readRequestPage(db, { spaceId, ...page }),
    nameOf: idOf,
  },
  {
    name: 'requests of both kinds',
    newestFirst: true,
    insert: async (db, spaceId, n) =>
      n % 3 === 0 ? await insertRefusal(db, spaceId, n) : await insertCall(db, spaceId, n),
    read: (db, spaceId, page) => readRequestPage(db, { spaceId, ...page }),
    nameOf: idOf,
  },
  {
    name: 'batches',
    newestFirst: true,
    insert: async (db, spaceId, n) => await insertBatch(db, spaceId, n),
    read: (db, spaceId, page) => readBatchPage(db, { spaceId, ...page }),
    nameOf: idOf,
  },
  {
    name: 'jobs',
    newestFirst: true,
    insert: async (db, spaceId, n) => await insertJob(db, spaceId, n),
    read: (db, spaceId, page) => readJobPage(db, { spaceId, ...page }),
    nameOf: idOf,
  },
  {
    name: 'references',
    newestFirst: true,
    insert: async (db, spaceId, n) => {
      const id = numberedId('ref', n);
      await db.query(sql`
        insert into reference_files (id, space_id, owner, track, kind, mime_type, bytes, sha256, created_at, expires_at)
        values (${id}, ${spaceId}, 'mem_1', 'file', 'image', 'image/png', 1, '', ${timestamp(NOW)}, ${timestamp(NOW + 1)})`);
      return id;
    },
    read: (db, spaceId, page) => readReferencePage(db, { spaceId, now: NOW, ...page }),
    nameOf: idOf,
  },
  {
    name: 'media',
    newestFirst: true,
    insert: async (db, spaceId, n) => {
      const [id, jobId] = [numberedId('media', n), await insertJob(db, spaceId, n)];
      await db.query(sql`
        insert into media (id, space_id, owner, job_id, position, kind, status, mime_type, created_at)
        values (${id}, ${spaceId}, 'mem_1', ${jobId}, 0, 'video', 'pending', 'video/mp4', ${timestamp(NOW)})`);
      return id;
    },
    read: (db, spaceId, page) => readMediaPage(db, { spaceId, now: NOW, ...page }),
    nameOf: idOf,
  },
  {
    name: 'audit of a space',
    newestFirst: true,
    insert: async (db, spaceId, n) => await insertAudit(db, spaceId, n),
    read: (db, spaceId, page) => readAuditPage(db, { spaceId, ...page }),
    nameOf: ({ subject }: { subject: string }) => subject,
  },
  {
    name: 'journal entries',
    newestFirst: true,
    insert: async (db, spaceId, n) => await insertInvoice(db, spaceId, n),
    read: (db, spaceId, page) => readEntryPage(db, { spaceId, ...page }),
    nameOf: ({ ref }: { ref: string }) => ref,
  },
  {
    name: 'invoices',
    newestFirst: true,
    insert: async (db, spaceId, n) => await insertInvoice(db, spaceId, n),
    read: (db, spaceId, page) => readInvoicePage(db, { spaceId, ...page }),
    nameOf: idOf,
  },
  {
    name: 'grants',
    newestFirst: true,
    insert: async (db, spaceId, n) => {
      const grant = { id: numberedId('grt', n), spaceId, kind: 'paid', amount: parseUnits('1') } as const;
      await db.transaction((tx) => giveUnits(tx, { ...grant, expiresAt: null, note: '', createdAt: NOW }));
      return grant.id;
    },
    read: (db, spaceId, page) => readGrantPage(db, { spaceId, now: NOW, ...page }),
    nameOf: idOf,
  },
  {
    name: 'projects',
    newestFirst: false,
    insert: async (db, spaceId, n) => await insertProject(db, spaceId, `p-${text(n)}-${spaceId.slice(-6)}`),
    read: (db, spaceId, page) => readProjectPage(db, { spaceId, ...page }),
    nameOf: idOf,
  },
  {
    name: 'builds',
    newestFirst: true,
    insert: async (db, spaceId, n) => {
      const [id, projectId] = [numberedId('bld', n), `builds-${spaceId.slice(-6)}`];
      if (n === 0) await insertProject(db, spaceId, projectId);
      await db.query(sql`
        insert into builds (id, project_id, status, started_at)
        values (${id}, ${projectId}, 'running', ${timestamp(NOW)})`);
      return id;
    },
    read: (db, spaceId, page) => readBuildPage(db, { projectId: `builds-${spaceId.slice(-6)}`, ...page }),
    nameOf: idOf,
  },
  {
    name: 'spaces',
    newestFirst: false,
    insert: async (db, _, n) => await makeListSpace(db, `zz-${text(n)}-${newId('spc', NOW).slice(-6)}`),
    read: (db, _, page) => readSpacePage(db, { now: NOW, search: 'zz-', ...page }),
    nameOf: idOf,
    everywhere: true,
  },
  {
    name: 'people',
    newestFirst: false,
    insert: async (db, _, n) => {
      const id = newId('per', NOW);
      const email = `${text(n)}-${id}@example.com`;
      await db.query(sql`
        insert into people (id, email, nickname, created_at) values (${id}, ${email}, 'x', ${timestamp(NOW)})`);
      return email;
    },
    read: (db, _, page) => readPersonPage(db, page),
    nameOf: ({ email }: { email: string }) => email,
    everywhere: true,
  },
  {
    name: 'usage by key',
    newestFirst: true,
    insert: async (db, spaceId, n) => {
      const keyId = await makeKey(db, spaceId, { name: `used-${text(n)}` });
      await db.query(sql`
        insert into month_parts (space_id, month, key_id, model, requests, unpriced, cost)
        values (${spaceId}, '2026-11', ${keyId}, 'm', 1, 0, ${String(n * 3)}),
          (${spaceId}, '2026-11', ${keyId}, 'o', 1, 0, '0.000000000001')`);
      return keyId;
    },
    read: (db, spaceId, page) => readKeyUsagePage(db, { spaceId, month: '2026-11', ...page }),
    nameOf: idOf,
  },
];

describe.each(engines)('lists on %s', (engine) => {
  const stage = useDatabase(engine);

  describe.each(cases)('the list of $name', ({ insert, read, nameOf, newestFirst, everywhere }) => {
    const names = (rows: readonly unknown[]): string[] => rows.map((row) => nameOf(row as never));
    const inOrder = (made: readonly string[]): string[] => (newestFirst ? made.toReversed() : [...made]);

    test('has every row once, in order, however long its pages are, and rows added meanwhile do not shift them', async () => {
      const { db } = stage;
      const [own, foreign] = [await makeListSpace(db), await makeListSpace(db)];
      // Even numbers first; the odd ones are added between the pages.
      const made = new Map<number, string>();
      const add = async (n: number): Promise<void> => void made.set(n, await insert(db, own, n));
      for (let n = 0; n < 14; n += 2) await add(n);
      const before = inOrder([...made.values()]);
      for (const limit of [1, 3, 7, 8])
        expect(names(await readAll((page) => read(db, own, page), limit))).toEqual(before);

      const first = await read(db, own, { after: null, limit: 3 });
      await add(newestFirst ? 13 : 1);
      await add(newestFirst ? 1 : 13);
      const rest = await readAll((page) => read(db, own, { ...page, after: page.after ?? first.next }), 2);
      const late = made.get(newestFirst ? 1 : 13) as string;
      expect([...names(first.rows), ...names(rest)].filter((name) => name !== late)).toEqual(before);
      expect(names(rest)).toContain(late);

      const all = inOrder([...made].sort(([a], [b]) => a - b).map(([, name]) => name));
      expect(names(await readAll((page) => read(db, own, page), 4))).toEqual(all);
      if (everywhere) return;
      expect(await read(db, foreign, { after: null, limit: 5 })).toEqual({ rows: [], next: null });
      // A cursor of another space continues after the same position among one's own rows.
      await insert(db, foreign, 0);
      const there = (await read(db, foreign, { after: first.next, limit: 5 })) as Page<unknown>;
      expect(names(there.rows).some((name) => all.includes(name))).toBe(false);
    });

    test('rejects a cursor that is not its own', async () => {
      const { db } = stage;
      const spaceId = await makeListSpace(db);
      for (const n of [0, 1, 2]) await insert(db, spaceId, n);
      const { next } = await read(db, spaceId, { after: null, limit: 1 });
      const other = cases.find(
        (one) => one.read !== read && one.name !== 'requests of both kinds',
      ) as ListCase;
      const cursors = ['', 'x', `${next}x`, next?.slice(1), next?.slice(0, -1), mangled(next as string)];
      const foreign = Buffer.from(JSON.stringify(['something else', 1])).toString('base64url');
      for (const after of [...cursors, foreign] as string[])
        await expect(read(db, spaceId, { after, limit: 1 }), after).rejects.toMatchObject(invalid);
      const otherSpace = await makeListSpace(db);
      for (const n of [0, 1]) await other.insert(db, otherSpace, n);
      const { next: otherNext } = await other.read(db, otherSpace, { after: null, limit: 1 });
      const rejected = read(db, spaceId, { after: otherNext, limit: 1 });
      await expect(rejected).rejects.toMatchObject({
        ...invalid,
        detail: expect.stringMatching(/another list/),
      });
    });
  });
});

const invalid = { code: 'invalid_parameter', param: 'cursor', status: 400 };

/** Another letter in the middle. */
function mangled(cursor: string): string {
  return mistyped(cursor, cursor.length >> 1);
}

async function insertCall(db: Database, spaceId: string, n: number): Promise<string> {
  const id = numberedId('req', n);
  await db.query(sql`
    insert into calls (id, space_id, key_id, endpoint, model, streamed, outcome, usage_source, attempts, started_at,
      duration_ms, charged_at, month)
    values (${id}, ${spaceId}, 'key_1', 'chat', 'm', false, 'completed', 'none', 1, ${timestamp(NOW + n)}, 5,
      ${timestamp(NOW + n)}, '2026-11')`);
  return id;
}

async function insertRefusal(db: Database, spaceId: string, n: number): Promise<string> {
  const id = numberedId('req', n);
  await db.query(sql`
    insert into refusals (id, at, space_id, key_id, endpoint, code, status, detail)
    values (${id}, ${timestamp(NOW + n)}, ${spaceId}, 'key_1', 'createChatCompletion', 'not_found', 404, 'x')`);
  return id;
}

async function insertBatch(db: Database, spaceId: string, n: number): Promise<string> {
  const id = numberedId('batch', n);
  await db.query(sql`
    insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, total, created_at,
      expires_at)
    values (${id}, ${spaceId}, 'mem_1', 'key_1', 'file_1', '/v1/chat/completions', 'm', 'validating', 1,
      ${timestamp(NOW)}, ${timestamp(NOW)})`);
  return id;
}

async function insertJob(db: Database, spaceId: string, n: number): Promise<string> {
  const id = numberedId('job', n);
  await db.query(sql`
    insert into video_jobs (id, space_id, owner, key_id, model, status, created_at, expires_at)
    values (${id}, ${spaceId}, 'mem_1', 'key_1', 'm', 'queued', ${timestamp(NOW)}, ${timestamp(NOW)})`);
  return id;
}

async function insertAudit(db: Database, spaceId: string, n: number): Promise<string> {
  const subject = `${spaceId}-${n}`;
  await db.query(sql`
    insert into audit_log (at, actor, action, space_id, subject, after)
    values (${timestamp(NOW + n)}, 'kim', 'keys.create', ${spaceId}, ${subject}, ${json({ n })})`);
  return subject;
}

async function insertInvoice(db: Database, spaceId: string, n: number): Promise<string> {
  const id = numberedId('inv', n);
  const invoice = { id, spaceId, amount: parseUnits('0.1'), note: '', at: NOW + n };
  await db.transaction((tx) => insertEntry(tx, invoiceEntry(invoice)));
  return id;
}

async function insertProject(db: Database, spaceId: string, id: string): Promise<string> {
  await db.query(sql`
    insert into projects (id, space_id, name, created_at) values (${id}, ${spaceId}, ${id}, ${timestamp(NOW)})`);
  return id;
}

/** Every kind of transaction there is, each on the same few rows, so that any two of them can meet. */

import { joinSpace } from '../../src/access/accept-invitation.ts';
import { shellActor } from '../../src/access/actor.ts';
import { createInvitation } from '../../src/access/create-invitation.ts';
import { createSignInLink } from '../../src/access/create-link.ts';
import { takeInvitation } from '../../src/access/invitations.store.ts';
import { admitPerson } from '../../src/access/issuers/admit-person.ts';
import type { IssuerSettings } from '../../src/access/issuers/issuer-settings.ts';
import { lockAccess } from '../../src/access/keys.store.ts';
import { insertUnconfirmedPerson, replacePassword } from '../../src/access/people.store.ts';
import { backgroundPrincipal, type Principal } from '../../src/access/principal.ts';
import {
  deleteOtherSessions,
  deleteSessionsOf,
  insertSession,
  sweepSessions,
} from '../../src/access/sessions.store.ts';
import { claimAttempt, takeBackAttempt } from '../../src/access/sign-in-attempts.store.ts';
import { runOperation } from '../../src/administration/operations.ts';
import { holdFile, insertFile } from '../../src/batch-files/files.store.ts';
import type { FileTools } from '../../src/batch-files/open-file.ts';
import { BATCH_JOB } from '../../src/batches/advance-batch.ts';
import { insertLines, recordLines } from '../../src/batches/batch-lines.store.ts';
import { findBatch, insertBatch, moveBatch } from '../../src/batches/batches.store.ts';
import { cancelBatch } from '../../src/batches/cancel-batch.ts';
import { deleteOwnFile } from '../../src/batches/delete-file.ts';
import { providerBatches, writeMismatch } from '../../src/batches/provider-batches.store.ts';
import { settleBatch } from '../../src/batches/settle-batch.ts';
import type { BlobKeeper } from '../../src/blobs/blob-keeper.ts';
import type { InputOf, OperationName } from '../../src/contract/administration/admin-endpoints.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { Once } from '../../src/idempotency/once.ts';
import {
  claimJobs,
  enqueueJob,
  type LeasedJob,
  releaseJob,
  renewJob,
  requireLease,
} from '../../src/jobs/jobs.store.ts';
import { newId } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { type Clock, isoOf, systemClock } from '../../src/kernel/time.ts';
import { parseUnits } from '../../src/kernel/units.ts';
import { expireUnits } from '../../src/ledger/settle.store.ts';
import { claimAsset, releaseAssetClaim } from '../../src/media/provider-assets.store.ts';
import { deleteReference, insertReference } from '../../src/media/references.store.ts';
import { callRow, joinRows } from '../../src/metering/call-record.ts';
import { recordCalls } from '../../src/metering/calls.store.ts';
import { correctCall } from '../../src/metering/corrections.store.ts';
import { keepPriceSheet } from '../../src/metering/price-sheets.store.ts';
import { deleteRefusals, insertRefusals } from '../../src/metering/refusals.store.ts';
import { reserveUnits } from '../../src/metering/reserves.store.ts';
import { clearIntent, writeIntent, writeSending } from '../../src/provider-jobs/provider-jobs.store.ts';
import { deleteOldCounts, syncCounts } from '../../src/rates/rate-counts.store.ts';
import { findExpiredResponses } from '../../src/responses/kept-responses.store.ts';
import { addResponses, dropResponses } from '../../src/responses/store-responses.ts';
import { cancelVideo } from '../../src/video/cancel-video.ts';
import { providerVideos } from '../../src/video/provider-videos.store.ts';
import { settleVideo } from '../../src/video/settle-video.ts';
import { findVideoJob, insertVideoJob } from '../../src/video/video-jobs.store.ts';
import { VIDEO_JOB } from '../../src/video/video-state.ts';
import { callOf } from './books.ts';

/** What both of a pair work on. */
export interface Meeting {
  readonly spaces: readonly string[];
  readonly principal: Principal;
  readonly batch: LeasedJob;
  readonly video: LeasedJob;
  readonly reference: string;
  readonly file: string;
  readonly callId: string;
  readonly personId: string;
  readonly key: string;
}

export interface Side {
  readonly db: Database;
  readonly keeper: BlobKeeper;
  /** Each side goes through several rows in its own order. */
  readonly reversed: boolean;
}

export type Kind = (side: Side, at: Meeting) => Promise<unknown>;

const clock: Clock = systemClock;
const EMAIL = 'person@example.com';
const PROCESSES = ['process-a', 'process-b'];

const inOrder = <T>(items: readonly T[], { reversed }: Side): T[] =>
  reversed ? items.toReversed() : [...items];

function admin<Name extends OperationName>(name: Name, input: InputOf<Name>): Kind {
  return async ({ db }) => await runOperation({ db, clock, actor: shellActor('test') }, name, input);
}

const issuerOfKinds: IssuerSettings = {
  ...{ name: 'corp', label: 'Corp', issuer: 'https://corp.example', clientId: 'c', clientAuth: null },
  ...{ clientSecret: new Secret('s'), scopes: [], operators: [], domains: null, allowUnverifiedEmail: true },
  claims: { email: 'email', name: 'name', groups: 'groups' },
  spaces: [
    { group: 'a', space: 'space-b', role: 'member' },
    { group: 'b', space: 'space-b', role: 'admin' },
  ],
};

const line = (number: number) => ({
  ...{ line: number, text: '{}', ok: true, cost: parseUnits('0.01') },
  ...{ usage: null, priceVersion: 'v' },
  receipt: {
    ...{
      id: newId('req', clock.now()),
      provider: 'p',
      upstream_model: 'm',
      outcome: 'completed',
      problem: null,
    },
    ...{ finish_reason: 'stop', usage_source: 'provider', input_tokens: 1, cached_input_tokens: 0 },
    ...{
      cache_write_tokens: 0,
      output_tokens: 1,
      reasoning_tokens: 0,
      usage_details: null,
      price_version: 'v',
    },
    ...{ cost: '0.01', charge_lines: [], attempts: 1, attempt_log: null, duration_ms: 1, attribution: null },
    started_at: isoOf(clock.now()),
  },
});

export const kinds: Readonly<Record<string, Kind>> = {
  'record calls': async (side, { spaces }) => {
    const calls = inOrder(spaces, side).flatMap((space) => [callOf(space, '0.001'), callOf(space, '0.002')]);
    const rows = joinRows(calls.map(callRow));
    await recordCalls(side.db, { rows, spaces: inOrder(spaces, side), at: clock.now() });
  },
  'grant units': admin('grants.add', { space: 'space-a', amount: '1', kind: 'paid' }),
  'expire units': async ({ db }) => await expireUnits(db, clock.now() + 1_000),
  'grant units that expire': async (side, at) => {
    const expires = isoOf(clock.now() + 500);
    await admin('grants.add', { space: 'space-b', amount: '1', kind: 'promo', expires })(side, at);
  },
  invoice: admin('spaces.invoice', { space: 'space-a' }),
  'correct a call': async ({ db }, { callId }) =>
    await db.transaction((tx) =>
      correctCall(tx, { callId, cost: parseUnits('0.5'), note: '', at: clock.now() }),
    ),
  'block a space': admin('spaces.block', { space: 'space-a', blocked: true }),
  'limit a space a minute': admin('spaces.rate', { space: 'space-a', requests_per_minute: 5 }),
  'limit a key': admin('keys.limit', { space: 'space-a', name: 'key-a', month_limit: '5' }),
  'disable a key': admin('keys.disable', { space: 'space-a', name: 'key-a' }),
  'rotate a key': admin('keys.rotate', { space: 'space-a', name: 'key-a' }),
  'rotate a key with an Idempotency-Key': async ({ db }) => {
    const repeat = { key: 'rotate', credential: 'a session' };
    const context = { db, clock, actor: shellActor('test'), repeat };
    await runOperation(context, 'keys.rotate', { space: 'space-a', name: 'key-a' });
  },
  'limit a member': admin('members.limit', { space: 'space-a', email: EMAIL, month_limit: '5' }),
  'add and remove a member': async (side, at) => {
    const email = `${newId('mem', clock.now())}@example.com`;
    await admin('members.add', { space: 'space-a', email, role: 'member' })(side, at);
    await admin('members.remove', { space: 'space-a', email })(side, at);
  },
  'change several of a space at once': async ({ db, ...side }) =>
    await db.transaction(async (tx) => {
      const changes = [
        sql`update keys set month_limit = 5 where name = 'key-a'`,
        sql`update members set month_limit = 5 where email = ${EMAIL}`,
        sql`update spaces set blocked_at = null where name = 'space-a'`,
      ];
      for (const change of inOrder(changes, { db, ...side })) await tx.query(change);
    }),
  'sign in': async ({ db }, { personId }) =>
    await db.transaction(async (tx) => {
      const now = clock.now();
      await sweepSessions(tx, { now, seenAfter: now - 1_000 });
      const session = {
        digest: newId('req', now),
        personId,
        openedBy: 'link',
        userAgent: '',
        createdAt: now,
      } as const;
      await insertSession(tx, { ...session, expiresAt: now + 60_000 }, 2);
    }),
  'sign in through an issuer': async (side) =>
    await side.db.transaction((tx) =>
      admitPerson(tx, {
        settings: issuerOfKinds,
        // Each side has other groups, so that memberships come and go.
        claimed: {
          ...{ subject: 'sub', email: EMAIL, nickname: 'p' },
          groups: new Set([side.reversed ? 'a' : 'b']),
        },
        ...{ userAgent: '', now: clock.now() },
      }),
    ),
  'invite and accept': async ({ db }, { spaces, personId }) => {
    const now = clock.now();
    const email = `${newId('mem', now)}@example.com`;
    const wanted = { spaceId: spaces[0] as string, email, role: 'member', createdBy: 'test' } as const;
    const invitation = await db.transaction((tx) => createInvitation(tx, wanted, now));
    await db.transaction(async (tx) => {
      await lockAccess(tx);
      await takeInvitation(tx, invitation.id, now);
      const person = { id: newId('per', now), email, nickname: 'p', passwordHash: 'x', now };
      await insertUnconfirmedPerson(tx, person);
      const open = { ...invitation, spaceName: 'space-a' };
      await joinSpace(tx, open, { personId: person.id, nickname: 'p', actor: 'test', now });
      await insertSession(
        tx,
        {
          digest: newId('req', now),
          personId,
          openedBy: 'link',
          userAgent: '',
          createdAt: now,
          expiresAt: now + 60_000,
        },
        2,
      );
    });
    await db.transaction((tx) => createSignInLink(tx, { personId, madeBy: 'console' }, now));
  },
  'sign out everywhere': async ({ db }, { personId }) => await deleteSessionsOf(db, personId),
  // As a person does it, without the time that a hash takes.
  'change a password': async ({ db }, { personId }) =>
    await db.transaction(async (tx) => {
      await replacePassword(tx, personId, { oldHash: null, newHash: 'x' });
      await deleteOtherSessions(tx, personId, 'kept');
    }),
  'count an attempt': async (side) => {
    const limits = { perMinute: 1_000_000, perHour: 1_000_000 };
    const subjects = new Map(inOrder(['one', 'two'], side).map((name) => [name, limits]));
    await claimAttempt(side.db, subjects, clock.now());
    await takeBackAttempt(side.db, subjects);
  },
  'submit a batch under a key': async ({ db }, { principal, key, file }) => {
    const now = clock.now();
    const once = new Once({ db, clock });
    const claim = await once.begin({
      spaceId: principal.spaceId,
      owner: 'o',
      operation: 'batches.create',
      key,
    });
    if (claim.decided) return;
    try {
      await db.transaction(async (tx) => {
        const batch = { ...newBatch(principal), inputFileId: file };
        await enqueueJob(tx, { kind: BATCH_JOB, subject: batch.id, dueAt: now + 1e9, now });
        const parts = new Map([[`space:${principal.spaceId}`, parseUnits('1')]]);
        const slices = { process: 'prc_1', parts };
        await reserveUnits(tx, { ref: batch.id, principal, units: parseUnits('1'), slices });
        await holdFile(tx, file);
        await insertBatch(tx, batch);
        await claim.complete(tx, { digest: 'd', outcome: { result: batch.id } });
      });
      claim.close();
    } finally {
      await claim.release();
    }
  },
  'forget keys': async ({ db }) => await new Once({ db, clock: later(3e8) }).runOnce(),
  'cancel a batch': async ({ db }, { principal, batch }) =>
    await cancelBatch({ principal, id: batch.subject }, { db, clock }),
  'move a batch': async ({ db }, { batch }) =>
    await db.transaction(async (tx) => {
      await requireLease(tx, batch);
      await moveBatch(tx, batch.subject, { to: 'in_progress', at: clock.now() });
    }),
  'record lines': async (side, { batch }) =>
    await recordLines(side.db, batch.subject, inOrder([line(1), line(2), line(3)], side), 5_000),
  'insert lines': async (side, { batch }) =>
    await insertLines(side.db, batch, inOrder([line(3), line(4), line(5)], side)),
  'send a batch': async ({ db }, { batch }) => {
    const intent = { provider: 'p', at: clock.now(), details: { provider_lines: 1 } };
    await writeIntent(db, batch, { table: providerBatches, intent });
    await writeSending(db, batch, { table: providerBatches, at: clock.now() });
    await writeMismatch(db, batch, null);
  },
  'settle a batch': async ({ db, keeper }, { batch }) => {
    await db.transaction(async (tx) => {
      await requireLease(tx, batch);
      for (const to of ['cancelling', 'cancelled'] as const)
        await moveBatch(tx, batch.subject, { to, at: clock.now() });
    });
    const found = await findBatch(db, batch.subject);
    if (found === null) return;
    const input = (): Promise<never> => Promise.reject(new Error('no input'));
    await settleBatch(
      { batch: { ...found, total: 0 }, job: batch, model: null, caller: { spaceName: 'a' }, input },
      { db, keeper, clock },
    );
  },
  'requeue a batch': async (side, at) =>
    await admin('batches.requeue', { batch: at.batch.subject })(side, at),
  'cancel a video': async ({ db }, { principal, video }) =>
    await cancelVideo({ principal, id: video.subject }, { db, clock } as unknown as Parameters<
      typeof cancelVideo
    >[1]),
  'send a video': async ({ db }, { video }) => {
    const intent = { provider: 'p', at: clock.now(), details: { upstream_model: 'm' } };
    await writeIntent(db, video, { table: providerVideos, intent });
    await writeSending(db, video, { table: providerVideos, at: clock.now() });
    await clearIntent(db, video, providerVideos);
  },
  'settle a video': async ({ db, keeper }, { video: job }) => {
    const video = await findVideoJob(db, job.subject);
    if (video === null) return;
    const end = { status: 'cancelled', error: null, files: [], charged: { usage: null } } as const;
    await settleVideo({ video, job }, { end, model: null }, { db, keeper, clock });
  },
  'take jobs': async ({ db }, { batch }) => {
    const now = clock.now();
    const claim = { kinds: ['other'], now, expiredBefore: now, leaseUntil: now + 10_000, jobsMax: 10 };
    for (const job of await claimJobs(db, claim)) await releaseJob(db, job, { dueAt: now, failure: null });
    await renewJob(db, batch, now + 10_000);
  },
  'keep a file': async ({ db, keeper }, { principal }) => {
    const blob = await keeper.write(newId('file', clock.now()));
    await blob.append(Buffer.from('x'));
    const written = await blob.commit();
    const lines = { rowCount: 1, embeddingInputs: 0, estimate: null };
    const facts = { ...lines, model: 'm', endpoint: '/v1/chat/completions' } as const;
    await db.transaction(async (tx) => {
      await blob.adopt(tx);
      await insertFile(tx, {
        ...{ id: blob.name, spaceId: principal.spaceId, owner: 'o', purpose: 'batch', filename: 'f' },
        ...written,
        ...{
          blob: blob.name,
          batch: facts,
          batchId: null,
          createdAt: clock.now(),
          expiresAt: clock.now() - 1,
        },
      });
    });
  },
  'delete a file': async ({ db }, { principal, file: id }) =>
    await deleteOwnFile({ principal, id }, { db, clock } as FileTools),
  'sweep files': async ({ keeper }) => await keeper.runOnce(),
  'register a reference': async ({ db }, { reference: referenceId }) => {
    const now = clock.now();
    const token = newId('req', now);
    const claim = { referenceId, provider: 'p', token, now, leaseUntil: now + 1_000, keptSince: 0 };
    if (await claimAsset(db, claim)) await releaseAssetClaim(db, token);
  },
  'delete a reference': async ({ db }, { reference }) => await deleteReference(db, reference),
  'keep responses': async (side, { spaces }) => {
    // Of the same spaces in either order, and beyond their quota, so that others are dropped too.
    const kept = inOrder(spaces, side).map((spaceId) => ({
      ...{
        id: newId('req', clock.now()),
        spaceId,
        owner: 'o',
        previousId: null,
        input: '[]',
        output: '[]',
        head: '{}',
      },
      ...{ itemIds: [`item_${spaceId}`], expiresAt: clock.now() - 1, bytes: 60, media: [] },
    }));
    await addResponses(side.db, kept, 100);
  },
  'forget responses': async ({ db }) => {
    await dropResponses(db, await findExpiredResponses(db, clock.now(), 100));
  },
  'keep refusals': async ({ db }) => {
    const refusal = {
      spaceId: null,
      keyId: null,
      endpoint: '',
      code: 'c',
      status: 400,
      detail: '',
      param: null,
    };
    const ids = [newId('req', clock.now()), newId('req', clock.now())];
    await insertRefusals(
      db,
      ids.map((id) => ({ ...refusal, id, at: 0, facts: null })),
    );
    await deleteRefusals(db, clock.now(), 100);
  },
  'exchange rates': async (side, { spaces }) => {
    const process = PROCESSES[Number(side.reversed)] as string;
    const counts = spaces.map((subject) => ({ subject, minute: 1, requests: 1, tokens: 1 }));
    await syncCounts(side.db, { process, counts, subjects: spaces, fromMinute: 0 });
    await deleteOldCounts(side.db, 2);
  },
  'keep prices': async (side) => {
    const models = Object.fromEntries(inOrder(['m1', 'm2', 'm3'], side).map((model) => [model, {}]));
    await keepPriceSheet(side.db, { version: String(Math.floor(clock.now() / 50)), models }, clock.now());
  },
};

function later(byMs: number): Clock {
  return { ...clock, now: () => clock.now() + byMs };
}

function newBatch({ spaceId, keyId, memberId }: Principal) {
  const now = clock.now();
  return {
    ...{ id: newId('batch', now), spaceId, keyId, memberId, owner: keyId, inputFileId: 'file_x' },
    ...{ endpoint: '/v1/chat/completions', model: 'm', metadata: null, tags: null, total: 5 },
    ...{ createdAt: now, expiresAt: now + 1e9 },
  };
}

/** The rows that two transactions are about to meet on. */
export async function prepareMeeting(
  db: Database,
  spaces: readonly string[],
  personId: string,
): Promise<Meeting> {
  const now = clock.now();
  const spaceId = spaces[0] as string;
  const principal = backgroundPrincipal({ keyId: 'key_1', spaceId, spaceName: 'space-a', memberId: null });
  const batch = newBatch(principal);
  const video = {
    ...batch,
    id: newId('job', now),
    attribution: null,
    budgets: null,
    request: { prompt: 'x' },
  };
  const reference = newId('ref', now);
  const file = newId('file', now);
  const call = callOf(spaceId, '0.001');
  await recordCalls(db, { rows: joinRows([callRow(call)]), spaces: [spaceId], at: now });
  await db.transaction(async (tx) => {
    for (const [kind, subject] of [
      [BATCH_JOB, batch.id],
      [VIDEO_JOB, video.id],
    ] as const) {
      await enqueueJob(tx, { kind, subject, dueAt: now + 1e9, now });
    }
    await insertReference(tx, {
      ...{ id: reference, spaceId, owner: 'o', track: 'managed', kind: 'image', mimeType: 'image/png' },
      ...{ bytes: 1, sha256: 'x', createdAt: now, expiresAt: now + 1e9 },
    });
    await insertFile(tx, {
      ...{
        id: file,
        blob: file,
        spaceId,
        owner: 'key_1',
        purpose: 'batch',
        filename: 'f',
        bytes: 1,
        sha256: 'x',
      },
      batch: {
        rowCount: 1,
        model: 'm',
        endpoint: '/v1/chat/completions',
        embeddingInputs: 0,
        estimate: null,
      },
      ...{ batchId: null, createdAt: now, expiresAt: now + 1e9 },
    });
    await insertBatch(tx, batch);
    await insertVideoJob(tx, video);
  });
  await db.query(sql`update people set password_hash = null where id = ${personId}`);
  const held = (kind: string, subject: string): LeasedJob => ({ kind, subject, epoch: 0, failures: 0 });
  return {
    ...{ spaces, principal, personId, reference, file, callId: call.id, key: newId('key', now) },
    ...{ batch: held(BATCH_JOB, batch.id), video: held(VIDEO_JOB, video.id) },
  };
}

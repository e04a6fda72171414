/** Whether the database, the bucket and Redis can be used. Leaves nothing behind. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Blobs } from '../../blobs/blobs.ts';
import type { DatabaseFacts } from '../../database/describe-server.ts';
import { newId } from '../../kernel/ids.ts';
import type { Clock } from '../../kernel/time.ts';
import { openBlobStore } from '../open-stores.ts';
import { shownAddress } from '../secrets-of-settings.ts';
import type { Settings } from '../settings.ts';
import { judgeSkew } from './check-clock.ts';
import { reasonOf } from './failure-reason.ts';
import { bounded, CHECK_MS_MAX, type CheckResult, type Finding, failure, fine, warning } from './finding.ts';

const POSTGRES_MIN = 150_000;
const REDIS_MIN = 6;
const PROBE_TEXT = 'tollgate check';

/** `running`: a server uses the data folder, and then the embedded database belongs to it. */
export async function checkDatabase(settings: Settings, clock: Clock, running: boolean): Promise<Finding[]> {
  const { databaseUrl, dataFolder: folder } = settings;
  const embedded = databaseUrl === null;
  if (embedded && running) return [{ check: 'database', ...fine('embedded, in use by the running server') }];
  if (embedded && !existsSync(join(folder, 'postgres')))
    return [{ check: 'database', ...fine('embedded, created at the first start') }];
  const next = embedded
    ? 'Stop the process that uses the data folder, or check that the folder is intact.'
    : 'Check DATABASE_URL (or database.url), the network, and the rights of its user.';
  return await bounded('database', { clock, next }, async () => {
    const { openDatabase } = await import('../../database/open-database.ts');
    const { describeServer } = await import('../../database/describe-server.ts');
    const db = await openDatabase({ url: databaseUrl?.reveal() ?? null, folder, clock });
    try {
      const before = clock.now();
      const facts = await describeServer(db);
      const skewMs = (before + clock.now()) / 2 - facts.now;
      return [...judgeDatabase(facts, embedded), ...(embedded ? [] : [judgeSkew(skewMs, 'the database')])];
    } finally {
      await db.close();
    }
  });
}

function judgeDatabase(facts: DatabaseFacts, embedded: boolean): CheckResult[] {
  const { version, versionNumber, fsync, synchronousCommit, closedTables, pending, newer, contract } = facts;
  if (contract !== null)
    return [
      failure(
        `belongs to a newer version of tollgate: its schema version ${contract} changed what this one uses`,
        'Run the newer version.',
      ),
    ];
  const name = `${embedded ? 'embedded PostgreSQL' : 'PostgreSQL'} ${version}`;
  const waiting =
    pending === null ? 'all migrations' : pending === 0 ? 'no migrations' : `${pending} migrations`;
  // Without rights it is unknown what already ran.
  const found = [fine(`${name} answers${closedTables > 0 ? '' : `; the next start runs ${waiting}`}`)];
  if (newer !== null)
    found.push(
      warning(
        `belongs to a newer version of tollgate (schema version ${newer}), beside which this one works`,
        'Run the newer version when the upgrade is complete.',
      ),
    );
  if (versionNumber < POSTGRES_MIN)
    found.push(failure(`${name} is too old`, 'Upgrade to PostgreSQL 15 or newer.'));
  if (embedded) return found;
  found.push(...judgeRights(facts));
  if (!fsync) found.push(warning('fsync is off: a crash may corrupt it', 'Set fsync = on.'));
  if (synchronousCommit === 'off')
    found.push(
      warning('synchronous_commit is off: a crash may lose charges', 'Set synchronous_commit = on.'),
    );
  return found;
}

function judgeRights({ user, schema, mayCreate, closedTables, pending }: DatabaseFacts): CheckResult[] {
  const who = `the user ${user}`;
  if (schema === null)
    return [
      failure(`${who} has no schema to use`, `Grant it USAGE and CREATE on one that is in its search_path.`),
    ];
  const name = `the schema ${schema}`;
  if (closedTables > 0)
    return [
      failure(
        `${who} may not read and change ${closedTables} tables of ${name}`,
        'Connect as the user that owns them: migrations change these tables too.',
      ),
    ];
  if (mayCreate || pending === 0) return [];
  const grant = `GRANT CREATE ON SCHEMA ${schema} TO ${user};`;
  return [
    failure(`${who} may not create tables in ${name}, which migrations do`, `Run as its owner: ${grant}`),
  ];
}

/** Writes, reads and deletes a small object. */
export async function checkBucket(settings: Settings, clock: Clock): Promise<Finding[]> {
  const { s3 } = settings;
  if (s3 === null) return [];
  const where = s3.endpoint === null ? '' : ` at ${new URL(s3.endpoint).origin}`;
  const next =
    `Check the bucket ${s3.bucket}${where} (region ${s3.region}), AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ` +
    'and that these credentials may write, read and delete.';
  return await bounded('bucket', { clock, next }, async () => {
    const blobs = await openBlobStore(settings);
    const name = newId('file', clock.now());
    const sink = await blobs.write(name);
    try {
      await sink.append(Buffer.from(PROBE_TEXT));
      await sink.commit();
      if ((await contentOf(blobs, name)) !== PROBE_TEXT)
        return failure(`${s3.bucket}: an object was written, but not read back`, next);
    } catch (error) {
      await sink.abort().catch(() => undefined);
      await blobs.delete(name).catch(() => undefined);
      throw error;
    }
    try {
      await blobs.delete(name);
    } catch (error) {
      return failure(
        `${s3.bucket}: an object was written and read, but not deleted: ${reasonOf(error)}`,
        next,
      );
    }
    return fine(`${s3.bucket}: an object was written, read and deleted`);
  });
}

async function contentOf(blobs: Blobs, name: string): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of (await blobs.open(name)) ?? []) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

export async function checkRedis({ redisUrl }: Settings, clock: Clock): Promise<Finding[]> {
  if (redisUrl === null) return [];
  const address = shownAddress(redisUrl);
  const next = `Check REDIS_URL (or redis.url), ${address}. Without Redis, per-minute limits are shared through the database.`;
  return await bounded('redis', { clock, next }, async () => {
    const { describeRedis } = await import('../../redis/describe-redis.ts');
    const { kind, version } = await describeRedis(redisUrl.reveal(), CHECK_MS_MAX);
    const name = `${kind} ${version ?? 'of an unknown version'} at ${address}`;
    if (kind === 'redis' && version !== null && Number.parseInt(version, 10) < REDIS_MIN)
      return failure(`${name} is too old`, 'Upgrade to Redis 6 or newer, or Valkey.');
    return fine(`${name} answers`);
  });
}

/** The rows of provider assets: the names of managed references at providers, and claims to register them. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface AssetPlace {
  readonly referenceId: string;
  readonly provider: string;
}

export interface AssetClaim extends AssetPlace {
  /** Identifies the claim. */
  readonly token: string;
  readonly now: Instant;
  readonly leaseUntil: Instant;
  /** The provider has deleted what was registered before this time. */
  readonly keptSince: Instant;
}

/** Claims the registration if there is neither a usable asset nor an active claim. */
export async function claimAsset(db: Queryable, claim: AssetClaim): Promise<boolean> {
  const { referenceId, provider, token } = claim;
  const now = timestamp(claim.now);
  const rows = await db.query(sql`
    insert into provider_assets (reference_id, provider, token, lease_until, created_at)
    values (${referenceId}, ${provider}, ${token}, ${timestamp(claim.leaseUntil)}, ${now})
    on conflict (reference_id, provider) do update
      set token = excluded.token, lease_until = excluded.lease_until, created_at = excluded.created_at, asset = null
      where case when provider_assets.asset is null
        then provider_assets.lease_until <= ${now} else provider_assets.created_at < ${timestamp(claim.keptSince)} end
    returning token`);
  return rows.length > 0;
}

/** Null if there is none that the provider still has. */
export async function findAsset(
  db: Queryable,
  { referenceId, provider }: AssetPlace,
  keptSince: Instant,
): Promise<string | null> {
  const [row] = await db.query<{ asset: string | null }>(sql`
    select asset from provider_assets
    where reference_id = ${referenceId} and provider = ${provider} and created_at >= ${timestamp(keptSince)}`);
  return row?.asset ?? null;
}

export async function renewAssetClaim(db: Queryable, token: string, leaseUntil: Instant): Promise<void> {
  await db.query(sql`
    update provider_assets set lease_until = ${timestamp(leaseUntil)} where token = ${token} and asset is null`);
}

/** False if the claim was lost to another process. */
export async function writeAsset(db: Queryable, token: string, asset: string): Promise<boolean> {
  const rows = await db.query(sql`
    update provider_assets set asset = ${asset} where token = ${token} and asset is null returning token`);
  return rows.length > 0;
}

/** Ends the claim early, so that others do not wait for the end of its lease. */
export async function releaseAssetClaim(db: Queryable, token: string): Promise<void> {
  await db.query(sql`delete from provider_assets where token = ${token} and asset is null`);
}

/** The provider no longer has this asset. One that was registered since stays. */
export async function forgetAsset(
  db: Queryable,
  { referenceId, provider }: AssetPlace,
  asset: string,
): Promise<void> {
  await db.query(sql`
    delete from provider_assets
    where reference_id = ${referenceId} and provider = ${provider} and asset = ${asset}`);
}

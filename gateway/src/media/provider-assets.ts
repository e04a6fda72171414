/**
 * Registers managed references with providers: each once per provider, on its first use in any process. The first user
 * claims the row and uploads the bytes; others wait for the name. The claim of a process that died expires.
 */

import type { Database } from '../database/database.ts';
import { randomBase62 } from '../kernel/ids.ts';
import type { Stoppable } from '../kernel/running.ts';
import { type Clock, pause } from '../kernel/time.ts';
import type { AssetProvider, AssetToRegister } from '../providers/asset-provider.ts';
import {
  type AssetPlace,
  claimAsset,
  findAsset,
  forgetAsset,
  releaseAssetClaim,
  renewAssetClaim,
  writeAsset,
} from './provider-assets.store.ts';

/** Others wait at most this long for a process that was killed during a registration. */
const ASSET_LEASE_MS = 6_000;
const RENEW_MS = 1_500;
const POLL_MS = 100;
const TOKEN_CHARACTERS = 32;

/** The provider that keeps the asset: its name and its API. */
export interface AssetKeeper {
  readonly name: string;
  readonly assets: AssetProvider;
}

export class ProviderAssets implements Stoppable {
  readonly #db: Database;
  readonly #clock: Clock;
  /** Lookups under way in this process; concurrent callers share them. */
  readonly #coming = new Map<string, Promise<string>>();
  readonly #stopping = new AbortController();

  constructor(options: { db: Database; clock: Clock }) {
    this.#db = options.db;
    this.#clock = options.clock;
  }

  /** Ends registrations under way; another process can claim them. */
  stop(): void {
    this.#stopping.abort();
  }

  /** The name of a reference at the provider. Throws the provider's error. */
  async nameOf(asset: AssetToRegister, keeper: AssetKeeper): Promise<string> {
    const key = `${asset.referenceId} ${keeper.name}`;
    let coming = this.#coming.get(key);
    if (coming === undefined) {
      // The first caller may disconnect while others wait, so no caller can cancel it.
      coming = this.#find(asset, keeper).finally(() => this.#coming.delete(key));
      this.#coming.set(key, coming);
    }
    return await coming;
  }

  /** Called when the provider no longer knows the name. */
  async forget(place: AssetPlace, name: string): Promise<void> {
    await forgetAsset(this.#db, place, name);
  }

  async #find(asset: AssetToRegister, keeper: AssetKeeper): Promise<string> {
    const place = { referenceId: asset.referenceId, provider: keeper.name };
    const { signal } = this.#stopping;
    const keptMs = keeper.assets.keptMs ?? Number.POSITIVE_INFINITY;
    for (;;) {
      signal.throwIfAborted();
      const now = this.#clock.now();
      const keptSince = Math.max(0, now - keptMs);
      const found = await findAsset(this.#db, place, keptSince);
      if (found !== null) return found;
      const token = randomBase62(TOKEN_CHARACTERS);
      const claim = { ...place, token, now, leaseUntil: now + ASSET_LEASE_MS, keptSince };
      if (await claimAsset(this.#db, claim)) return await this.#register(asset, keeper, token);
      await pause(this.#clock, POLL_MS, signal);
    }
  }

  async #register(asset: AssetToRegister, { assets }: AssetKeeper, token: string): Promise<string> {
    const db = this.#db;
    const stopRenewing = this.#clock.every(RENEW_MS, () => {
      renewAssetClaim(db, token, this.#clock.now() + ASSET_LEASE_MS).catch(() => undefined);
    });
    try {
      const name = await assets.register(asset, this.#stopping.signal);
      // If the claim was lost there is another name by now; both are valid.
      await writeAsset(db, token, name);
      return name;
    } catch (error) {
      await releaseAssetClaim(db, token).catch(() => undefined);
      throw error;
    } finally {
      stopRenewing();
    }
  }
}

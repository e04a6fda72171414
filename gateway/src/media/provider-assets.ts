/**
 * Registers managed references with providers: each once for each provider, on its first use, whoever uses it
 * and in whichever process. Whoever comes first claims the row and hands over the bytes; the others wait for
 * the name. A claim whose holder died runs out.
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

/** Whoever waits for a process that was killed while it registered one waits no longer than this. */
const ASSET_LEASE_MS = 6_000;
const RENEW_MS = 1_500;
const LOOK_MS = 100;
const TOKEN_CHARACTERS = 32;

/** Who is to keep it: a provider's name, and its way to be asked. */
export interface AssetKeeper {
  readonly name: string;
  readonly assets: AssetProvider;
}

export class ProviderAssets implements Stoppable {
  readonly #db: Database;
  readonly #clock: Clock;
  /** Those that this process is about to know; who asks meanwhile gets the same answer. */
  readonly #coming = new Map<string, Promise<string>>();
  readonly #stopping = new AbortController();

  constructor(options: { db: Database; clock: Clock }) {
    this.#db = options.db;
    this.#clock = options.clock;
  }

  /** Ends what is under way; others may take it up. */
  stop(): void {
    this.#stopping.abort();
  }

  /** The provider's name of a reference. Throws what the provider refuses or breaks with. */
  async nameOf(asset: AssetToRegister, keeper: AssetKeeper): Promise<string> {
    const key = `${asset.referenceId} ${keeper.name}`;
    let coming = this.#coming.get(key);
    if (coming === undefined) {
      // Whoever asked first may leave; the others still want it, so nobody's signal ends it.
      coming = this.#find(asset, keeper).finally(() => this.#coming.delete(key));
      this.#coming.set(key, coming);
    }
    return await coming;
  }

  /** The provider no longer knows the name. */
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
      await pause(this.#clock, LOOK_MS, signal);
    }
  }

  async #register(asset: AssetToRegister, { assets }: AssetKeeper, token: string): Promise<string> {
    const db = this.#db;
    const stopRenewing = this.#clock.every(RENEW_MS, () => {
      renewAssetClaim(db, token, this.#clock.now() + ASSET_LEASE_MS).catch(() => undefined);
    });
    try {
      const name = await assets.register(asset, this.#stopping.signal);
      // A claim that was lost has another name by now; both are good.
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

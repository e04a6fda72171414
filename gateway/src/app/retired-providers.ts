/** Providers that are no longer configured: calls that began on one may still run on it. */
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Clock } from '../kernel/time.ts';
import type { Provider } from '../providers/provider.ts';

const LOOK_MS = 10_000;

export class RetiredProviders {
  readonly #clock: Clock;
  readonly #inFlight: () => number;
  readonly #background: BackgroundTasks;
  readonly #providers = new Set<Provider>();

  constructor(options: { clock: Clock; inFlight: () => number; background: BackgroundTasks }) {
    this.#clock = options.clock;
    this.#background = options.background;
    this.#inFlight = options.inFlight;
  }

  add(providers: readonly Provider[]): void {
    for (const provider of providers) {
      this.#providers.add(provider);
      const looking = this.#clock.every(LOOK_MS, () => {
        if (this.#inFlight() > 0) return;
        looking();
        this.#providers.delete(provider);
        this.#background.run('close a provider', () => provider.close());
      });
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#providers].map((provider) => provider.close()));
  }
}

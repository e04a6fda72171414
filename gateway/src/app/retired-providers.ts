/** Closes providers that were removed from the configuration, once no call can be using them any more. */
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Stoppable } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';
import type { Provider } from '../providers/provider.ts';

const CHECK_MS = 10_000;

export class RetiredProviders implements Stoppable {
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
      const cancel = this.#clock.every(CHECK_MS, () => {
        if (this.#inFlight() > 0) return;
        cancel();
        this.#providers.delete(provider);
        this.#background.run('close a provider', () => provider.close());
      });
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#providers].map((provider) => provider.close()));
  }
}

/** Notices changes in a folder. It is also checked every second, because not every file system reports changes. */
import { type FSWatcher, watch } from 'node:fs';
import type { Clock } from '../../kernel/time.ts';
import { ChangeSignal } from '../change-signal.ts';

const POLL_MS = 1_000;

export class FolderWatch {
  readonly #changed: ChangeSignal;
  #watcher: FSWatcher | null = null;

  constructor(folder: string, clock: Clock) {
    this.#changed = new ChangeSignal(clock);
    try {
      const watcher = watch(folder, () => this.#changed.notify());
      watcher.on('error', () => watcher.close());
      this.#watcher = watcher;
    } catch {
      // Polling is enough.
    }
  }

  /** Until there may be a change. */
  wait(signal: AbortSignal): Promise<void> {
    return this.#changed.wait(POLL_MS, signal);
  }

  close(): void {
    this.#watcher?.close();
  }
}

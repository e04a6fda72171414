/** The pods of a stream: their colours, which stay the same, and whether they run. */
import type { LogEntry } from '../../../../../gateway/src/client/line-buffer.ts';
import type { LogEventBody } from '../../../../../gateway/src/contract/logs.ts';
import { hashText } from '../../../../../gateway/src/kernel/hash-text.ts';

export const POD_COLOURS = 6;

export interface ShownPod {
  readonly name: string;
  /** From 1 to POD_COLOURS. */
  readonly colour: number;
  /** None of its containers runs any more. */
  readonly ended: boolean;
}

export class PodList {
  readonly #colours = new Map<string, number>();
  readonly #running = new Map<string, Set<string>>();
  readonly #ended = new Set<string>();
  readonly #containers = new Set<string>();

  get size(): number {
    return this.#colours.size;
  }

  /** In the order of their names. */
  get pods(): ShownPod[] {
    return [...this.#colours.keys()]
      .sort()
      .map((name) => ({ name, colour: this.colourOf(name), ended: this.#isEnded(name) }));
  }

  get containers(): string[] {
    return [...this.#containers].sort();
  }

  /** By the name, so that it is the same tomorrow; another one if a pod that is shown has it already. */
  colourOf(name: string): number {
    const known = this.#colours.get(name);
    if (known !== undefined) return known;
    const taken = new Set(this.#colours.values());
    const first = hashText(name) % POD_COLOURS;
    const steps = Array.from({ length: POD_COLOURS }, (_, step) => ((first + step) % POD_COLOURS) + 1);
    const colour = steps.find((one) => !taken.has(one)) ?? first + 1;
    this.#colours.set(name, colour);
    return colour;
  }

  /** Whether it is news: a pod that is known already is named again after each reconnect. */
  event({ podName, source = '', container, state }: LogEventBody): boolean {
    if (podName === undefined) return false;
    this.colourOf(podName);
    if (container !== undefined) this.#containers.add(container);
    const running = this.#running.get(podName) ?? new Set();
    this.#running.set(podName, running);
    if (state === 'ended') {
      running.delete(source);
      if (this.#ended.has(source)) return false;
      this.#ended.add(source);
      return true;
    }
    const isNew = !running.has(source);
    running.add(source);
    return isNew && state === 'joined';
  }

  #isEnded(name: string): boolean {
    return this.#running.get(name)?.size === 0;
  }
}

/** The lines of each pod in the buffer. */
export function countByPod(entries: readonly LogEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === 'line') counts.set(entry.line.podName, (counts.get(entry.line.podName) ?? 0) + 1);
  }
  return counts;
}

export function podOf(entry: LogEntry): string | undefined {
  return entry.kind === 'line' ? entry.line.podName : entry.event.podName;
}

/** The position of a client in each source of a stream with ids, so that it can resume exactly there. */
import { AFTER_HEADER } from '../contract/log-limits.ts';
import type { LogEventBody } from '../contract/logs.ts';

/** Servers and proxies reject longer URLs. */
const URL_CHARACTERS_MAX = 6_000;

export class SourcePositions {
  readonly #ids = new Map<string, string>();
  /** Sources whose last line was received. */
  readonly #ended = new Set<string>();
  /** Named by the server on this connection. */
  readonly #named = new Set<string>();

  get empty(): boolean {
    return this.#ids.size === 0;
  }

  connected(): void {
    this.#named.clear();
  }

  /** The newest id of a line. */
  line(id: string): void {
    this.#ids.set(sourceOf(id), id);
  }

  /** Whether the event says something new. */
  event(event: LogEventBody): boolean {
    const { source } = event;
    if (source === undefined) return true;
    if (event.event === 'gap') {
      const known = this.#ended.has(source);
      // Without the name of a pod: the source is gone and need not be requested again.
      if (!this.#named.has(source) && event.podName === undefined) this.#ids.delete(source);
      return !known;
    }
    if (event.event !== 'pod') return true;
    this.#named.add(source);
    if (event.id !== undefined && !this.#ids.has(source)) this.#ids.set(source, event.id);
    if (event.state === 'ended') this.#ended.add(source);
    return true;
  }

  /** The query and headers of a request that resumes here. */
  after(): { query: Array<[string, string]>; headers: Record<string, string> } {
    const query: Array<[string, string]> = [];
    const more: string[] = [];
    let characters = 0;
    for (const id of this.#ids.values()) {
      characters += id.length + 12;
      if (characters < URL_CHARACTERS_MAX) query.push(['after', id]);
      else more.push(id);
    }
    return { query, headers: more.length === 0 ? {} : { [AFTER_HEADER]: more.join(' ') } };
  }
}

function sourceOf(id: string): string {
  return id.slice(0, id.lastIndexOf('@'));
}

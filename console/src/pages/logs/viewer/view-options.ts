/** What is read and how it is shown, as the address of the page has it. Pure. */
import type { LogEntry } from '../../../../../gateway/src/client/line-buffer.ts';
import type { LineSearch } from './line-text.ts';
import { podOf } from './pod-list.ts';
import { type TimeMode, timeModes } from './print-log-time.ts';

type Words = Readonly<Record<string, string | undefined>>;

/** A change of these reads another stream. */
export interface StreamChoice {
  readonly pod: string | undefined;
  readonly container: string | undefined;
  readonly sinceSeconds: number | undefined;
  /** An instant; null: the newest lines. */
  readonly at: number | null;
}

export function readStreamChoice({ pod, container, since, at }: Words): StreamChoice {
  const instant = Date.parse(at ?? '');
  return {
    pod: pod || undefined,
    container: container || undefined,
    sinceSeconds: since !== undefined && /^\d{1,9}$/.test(since) ? Number(since) : undefined,
    at: Number.isNaN(instant) ? null : instant,
  };
}

/** A change of these shows the same lines in another way. */
export interface ViewOptions {
  /** The pods that were picked; null: all, also those that join later. */
  readonly pods: ReadonlySet<string> | null;
  readonly query: string;
  /** Hides lines that do not match the query. */
  readonly onlyMatches: boolean;
  readonly wrap: boolean;
  readonly times: TimeMode;
}

export function readViewOptions({ pods, q, show, wrap, time }: Words): ViewOptions {
  return {
    pods: pods ? new Set(pods.split(',')) : null,
    query: q ?? '',
    onlyMatches: show === 'matches',
    wrap: wrap === 'on',
    times: timeModes.find((mode) => mode === time) ?? 'kst',
  };
}

/** The value of `pods` after a click on one of them. If none is left, all are shown again. */
export function togglePod(picked: ReadonlySet<string> | null, pod: string): string | undefined {
  const next = new Set(picked);
  if (!next.delete(pod)) next.add(pod);
  return next.size === 0 ? undefined : [...next].sort().join(',');
}

/** The entries that are shown. A gap concerns every pod if it names none. */
export function shownEntries(
  entries: readonly LogEntry[],
  { pods, onlyMatches }: ViewOptions,
  search: LineSearch | null,
): readonly LogEntry[] {
  if (pods === null && !(onlyMatches && search !== null)) return entries;
  return entries.filter((entry) => {
    const pod = podOf(entry);
    if (pods !== null && pod !== undefined && !pods.has(pod)) return false;
    return !onlyMatches || search === null || entry.kind === 'event' || search.matches(entry);
  });
}

/** Finds the pods of a project by label: lists them, then watches; lists again if the watch cannot resume. */
import { type Clock, pause } from '../../kernel/time.ts';
import { ApiStatusError, type ClusterApi } from './cluster-api.ts';
import { type Pod, type PodSource, podSources } from './pods.ts';

export const PROJECT_LABEL = 'tollgate.dev/project';
const PAGE_PODS = 500;
/** The server ends a watch after this time, and a new one is opened. */
const WATCH_SECONDS = 120;
/** A watch that is still open after this time is dead. */
const WATCH_MS_MAX = (WATCH_SECONDS + 15) * 1_000;
const RETRY_MS = 1_000;
const EVENT_BYTES_MAX = 4 * 1024 * 1024;

interface PodList {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly Pod[];
}
interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Pod & { readonly code?: number };
}

export interface PodQuery {
  readonly api: ClusterApi;
  readonly clock: Clock;
  readonly namespace: string | null;
  readonly project: string;
}

export async function* watchPods(query: PodQuery, signal: AbortSignal): AsyncGenerator<PodSource[]> {
  const pods = new Map<string, Pod>();
  let reported: string | null = null;
  function* changes(): Generator<PodSource[]> {
    const sources = [...pods.values()].flatMap(podSources).sort((a, b) => (a.id < b.id ? -1 : 1));
    const text = sources.map(({ id, ended }) => `${id} ${ended}`).join('\n');
    if (text === reported) return;
    reported = text;
    yield sources;
  }
  let version: string | null = null;
  while (!signal.aborted) {
    try {
      version ??= await list(query, pods, signal);
      yield* changes();
      for await (const event of watch(query, version, signal)) {
        if (event.type === 'ERROR') throw new ApiStatusError(event.object.code ?? 500, 'the watch failed');
        version = event.object.metadata.resourceVersion ?? version;
        apply(event, pods);
        yield* changes();
      }
    } catch (error) {
      if (signal.aborted) return;
      // Nothing was reported yet: the caller must know.
      if (reported === null) throw error;
      if (error instanceof ApiStatusError && error.status === 410) version = null;
      else await pause(query.clock, RETRY_MS, signal);
    }
  }
}

async function list(query: PodQuery, pods: Map<string, Pod>, signal: AbortSignal): Promise<string> {
  const found: Pod[] = [];
  for (let next = ''; ; ) {
    const page = next === '' ? '' : `&continue=${encodeURIComponent(next)}`;
    const answer = await query.api.json<PodList>(`${pathOf(query)}&limit=${PAGE_PODS}${page}`, signal);
    found.push(...answer.items);
    next = answer.metadata.continue ?? '';
    if (next !== '') continue;
    pods.clear();
    for (const pod of found) pods.set(pod.metadata.uid, pod);
    return answer.metadata.resourceVersion;
  }
}

async function* watch(query: PodQuery, version: string, signal: AbortSignal): AsyncGenerator<WatchEvent> {
  const options = `&watch=true&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}`;
  const path = `${pathOf(query)}${options}&resourceVersion=${encodeURIComponent(version)}`;
  const body = await query.api.open(path, signal);
  const cancel = query.clock.after(WATCH_MS_MAX, () => body.close());
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (let piece = await body.next(); piece !== null; piece = await body.next()) {
      rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      let from = 0;
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, from)) {
        if (end > from) yield JSON.parse(rest.toString('utf8', from, end)) as WatchEvent;
        from = end + 1;
      }
      rest = rest.subarray(from);
      if (rest.length > EVENT_BYTES_MAX) throw new Error('an event of the watch is too large');
    }
  } finally {
    cancel();
    body.close();
  }
}

function pathOf({ namespace, project }: PodQuery): string {
  const scope = namespace === null ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `/api/v1${scope}/pods?labelSelector=${encodeURIComponent(`${PROJECT_LABEL}=${project}`)}`;
}

function apply({ type, object }: WatchEvent, pods: Map<string, Pod>): void {
  if (type === 'DELETED') pods.delete(object.metadata.uid);
  else if (type !== 'BOOKMARK') pods.set(object.metadata.uid, object);
}

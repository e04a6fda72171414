/** Pods as the API describes them, and their log sources. Pure. */
import { type LogSource, sourceId } from '../source.ts';

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion?: string;
  };
  readonly status?: {
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export interface ContainerStatus {
  readonly name: string;
  readonly restartCount: number;
  readonly containerID?: string;
  readonly state?: { readonly running?: object; readonly terminated?: object; readonly waiting?: object };
}

export interface PodSource extends LogSource {
  readonly namespace: string;
}

/** The current run of each container and the previous one, which can still be read. */
export function podSources(pod: Pod): PodSource[] {
  return statusesOf(pod).flatMap((status) => {
    const current = sourceOf(pod, status, status.restartCount, status.state?.running === undefined);
    const previous = status.restartCount > 0 ? [sourceOf(pod, status, status.restartCount - 1, true)] : [];
    // A container that has never run has no log.
    return hasRun(status) ? [...previous, current] : previous;
  });
}

export type Run = 'current' | 'ended' | 'previous' | 'gone';

/** The state of a source: the running run, the last run after its end, the run before that, or gone. */
export function runOf(pod: Pod | null, source: PodSource): Run {
  if (pod === null || pod.metadata.uid !== source.podUid) return 'gone';
  const status = statusesOf(pod).find(({ name }) => name === source.container);
  if (status === undefined) return 'gone';
  if (status.restartCount === source.restart)
    return status.state?.running === undefined ? 'ended' : 'current';
  return status.restartCount === source.restart + 1 ? 'previous' : 'gone';
}

function statusesOf({ status }: Pod): ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function hasRun({ state, containerID }: ContainerStatus): boolean {
  return state?.running !== undefined || state?.terminated !== undefined || (containerID ?? '') !== '';
}

function sourceOf(pod: Pod, status: ContainerStatus, restart: number, ended: boolean): PodSource {
  const { name, namespace, uid } = pod.metadata;
  const names = { pod: name, podUid: uid, container: status.name, restart };
  return { ...names, id: sourceId(names), namespace, ended };
}

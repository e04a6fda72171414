/** The address of a container's log. Names are those the cluster told, and escaped all the same. */
import type { PodSource } from './pods.ts';

export function logPath(source: PodSource, query: Readonly<Record<string, string>>): string {
  return `${podPath(source)}/log?${new URLSearchParams({ container: source.container, ...query })}`;
}

export function podPath({ namespace, pod }: PodSource): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}`;
}

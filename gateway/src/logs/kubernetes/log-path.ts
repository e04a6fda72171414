/** The path of a container log in the API. Names come from the cluster, and are escaped anyway. */
import type { PodSource } from './pods.ts';

export function logPath(source: PodSource, query: Readonly<Record<string, string>>): string {
  return `${podPath(source)}/log?${new URLSearchParams({ container: source.container, ...query })}`;
}

export function podPath({ namespace, pod }: PodSource): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}`;
}

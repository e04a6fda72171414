/** Reads logs from the API of a Kubernetes cluster: the pods with the label of the project. */
import type { Clock } from '../../kernel/time.ts';
import type { LogBatch, LogSource, LogStore, SourceReadOptions } from '../source.ts';
import type { Cluster } from './cluster.ts';
import { ClusterApi } from './cluster-api.ts';
import type { PodSource } from './pods.ts';
import { readRun } from './read-run.ts';
import { readRunPosition } from './run-position.ts';
import { watchPods } from './watch-pods.ts';

export class KubernetesStore implements LogStore {
  readonly #api: ClusterApi;
  readonly #clock: Clock;
  readonly #namespace: string | null;

  constructor(options: { cluster: Cluster; namespace: string | null; clock: Clock }) {
    this.#clock = options.clock;
    this.#namespace = options.namespace;
    this.#api = new ClusterApi(options.cluster, options.clock);
  }

  discover(project: string, signal: AbortSignal): AsyncIterable<readonly LogSource[]> {
    const query = { api: this.#api, clock: this.#clock, namespace: this.#namespace, project };
    return watchPods(query, signal);
  }

  read(source: LogSource, options: SourceReadOptions, signal: AbortSignal): AsyncIterable<LogBatch> {
    return readRun(source as PodSource, options, { api: this.#api, clock: this.#clock }, signal);
  }

  knows(position: string): boolean {
    return readRunPosition(position) !== null;
  }

  close(): Promise<void> {
    return this.#api.close();
  }
}

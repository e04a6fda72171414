/** Pods, their runs and what became of them, with versions as the API of a cluster has them. */
import { type LogRecord, RunLog } from './container-log.ts';

export interface PodEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly object: object;
  readonly labels: Readonly<Record<string, string>>;
}

interface Container {
  restartCount: number;
  current: RunLog;
  previous: RunLog | null;
  running: boolean;
}

export class StandInPod {
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly #cluster: StandInCluster;
  readonly #containers = new Map<string, Container>();

  constructor(
    cluster: StandInCluster,
    names: { name: string; uid: string; namespace: string; project: string; containers: readonly string[] },
  ) {
    this.#cluster = cluster;
    this.name = names.name;
    this.uid = names.uid;
    this.namespace = names.namespace;
    this.labels = { 'tollgate.dev/project': names.project };
    for (const container of names.containers) {
      const fresh = { restartCount: 0, current: new RunLog(), previous: null, running: true };
      this.#containers.set(container, fresh);
    }
  }

  write(record: LogRecord, container = 'app'): void {
    this.#container(container).current.write(record);
  }

  rotate(container = 'app'): void {
    this.#container(container).current.rotate();
  }

  /** Somebody follows the current run. */
  followed(container = 'app'): boolean {
    return this.#container(container).current.followed;
  }

  /** The run ends; the container waits to be started again. */
  crash(container = 'app'): void {
    const found = this.#container(container);
    found.running = false;
    found.current.end();
    this.#cluster.changed(this, 'MODIFIED');
  }

  start(container = 'app'): void {
    const found = this.#container(container);
    found.previous = found.current;
    found.current = new RunLog();
    found.restartCount++;
    found.running = true;
    this.#cluster.changed(this, 'MODIFIED');
  }

  restart(container = 'app'): void {
    this.crash(container);
    this.start(container);
  }

  remove(): void {
    for (const { current } of this.#containers.values()) current.end();
    this.#cluster.removed(this);
  }

  run(container: string, previous: boolean): RunLog | null {
    const found = this.#containers.get(container);
    return (previous ? found?.previous : found?.current) ?? null;
  }

  object(version: number): object {
    const containerStatuses = [...this.#containers].map(([name, { restartCount, running }]) => ({
      name,
      restartCount,
      containerID: `containerd://${this.uid}-${name}-${restartCount}`,
      state: running ? { running: {} } : { terminated: { exitCode: 1 } },
    }));
    return {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: {
        name: this.name,
        namespace: this.namespace,
        uid: this.uid,
        labels: this.labels,
        resourceVersion: String(version),
      },
      status: { phase: 'Running', containerStatuses },
    };
  }

  #container(name: string): Container {
    const found = this.#containers.get(name);
    if (found === undefined) throw new Error(`no container ${name}`);
    return found;
  }
}

/** Changes that a watch can be begun from; before them it is told that they are gone. */
const EVENTS_KEPT = 20;

export class StandInCluster {
  readonly pods = new Map<string, StandInPod>();
  #events: PodEvent[] = [];
  #version = 100;
  #forgotten = 100;
  readonly #listeners = new Set<(event: PodEvent) => void>();

  get version(): number {
    return this.#version;
  }

  addPod(names: {
    name: string;
    uid?: string;
    project: string;
    namespace?: string;
    containers?: string[];
  }): StandInPod {
    const { name, uid = `uid-${name}`, namespace = 'default', containers = ['app'], project } = names;
    const pod = new StandInPod(this, { name, uid, namespace, containers, project });
    this.pods.set(`${namespace}/${name}`, pod);
    this.changed(pod, 'ADDED');
    return pod;
  }

  changed(pod: StandInPod, type: PodEvent['type']): void {
    const version = ++this.#version;
    const event = { type, version, object: pod.object(version), labels: pod.labels };
    this.#events.push(event);
    if (this.#events.length > EVENTS_KEPT) this.#forgotten = this.#events.shift()?.version ?? this.#forgotten;
    for (const listener of this.#listeners) listener(event);
  }

  removed(pod: StandInPod): void {
    this.pods.delete(`${pod.namespace}/${pod.name}`);
    this.changed(pod, 'DELETED');
  }

  /** What happened after a version; null where that is no longer known. */
  since(version: number): readonly PodEvent[] | null {
    return version < this.#forgotten ? null : this.#events.filter((event) => event.version > version);
  }

  listen(listener: (event: PodEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

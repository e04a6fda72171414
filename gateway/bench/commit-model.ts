/**
 * A simulation of the commit path: processes with their lanes of commits, the account rows that a commit locks,
 * the cores of the database, and the disk, which makes several commits durable with one write. Pure; the same seed gives
 * the same result. `commit-points.json` holds measured points that it has to reproduce.
 */
import { CommitLanes } from '../src/metering/commit-lanes.ts';
import { EventQueue, Random } from './event-queue.ts';

/** Measured constants, in microseconds. */
export interface CommitCosts {
  /** CPU of the database for a commit, whatever it holds. */
  readonly commitUs: number;
  /** More for each call in it. */
  readonly callUs: number;
  /** More for each space in it. */
  readonly spaceUs: number;
  /** CPU of a gateway for a commit, and for each call in it, where that shares the cores of the database. */
  readonly clientCommitUs: number;
  readonly clientCallUs: number;
  /** Until the disk has stored what was written. */
  readonly syncUs: number;
  /** To the database and back. */
  readonly roundTripUs: number;
}

export interface CommitLoad {
  readonly processes: number;
  /** Calls of a process that end at the same time and wait for their commit; each is followed by the next at once. */
  readonly callersPerProcess: number;
  /** How many spaces the calls are of, in equal shares. */
  readonly spaces: number;
  /** The cores that the database has. */
  readonly cores: number;
  /** As measured: one thread on the same cores stands for all gateways. Otherwise they have machines of their own. */
  readonly clientOnCores: boolean;
  readonly groupCallsMax: number;
  /** Commits that a process may have in flight (`CommitLanes`). */
  readonly lanesMax: number;
}

export interface CommitFigures {
  readonly callsPerSecond: number;
  readonly callsPerCommit: number;
  /** From the end of a call to its durable charge. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const SEED = 20_261_116;

export function simulateCommits(costs: CommitCosts, load: CommitLoad): CommitFigures {
  // Enough for each process to find its number of lanes.
  return new Simulation(costs, load).run(Math.max(4_000, load.processes * 200));
}

interface Commit {
  readonly lane: Waiting;
  readonly calls: readonly EndedCall[];
  /** In order, as the database locks them. */
  readonly spaces: readonly number[];
  locked: number;
}

interface EndedCall {
  readonly endedUs: number;
  readonly space: number;
}

/** Work for a core. */
interface Task {
  readonly workUs: number;
  readonly ofClient: boolean;
  readonly done: () => void;
}

/** A gateway, and what each of its lanes still has to commit. */
interface Gateway {
  readonly lanes: CommitLanes;
  readonly waiting: readonly Waiting[];
}

interface Waiting {
  readonly gateway: Gateway;
  readonly calls: EndedCall[];
  busy: boolean;
}

class Simulation {
  readonly #costs: CommitCosts;
  readonly #load: CommitLoad;
  readonly #events = new EventQueue();
  readonly #random = new Random(SEED);
  /** Commits that wait for a space, behind the one that has it. */
  readonly #locks = new Map<number, Commit[]>();
  readonly #runnable: Task[] = [];
  #clientBusy = false;
  readonly #unsynced: Commit[] = [];
  readonly #latenciesUs: number[] = [];
  #freeCores: number;
  #syncing = false;
  #done = 0;

  constructor(costs: CommitCosts, load: CommitLoad) {
    this.#costs = costs;
    this.#load = load;
    this.#freeCores = load.cores;
  }

  run(commits: number): CommitFigures {
    for (let i = 0; i < this.#load.processes; i++) {
      const waiting: Waiting[] = [];
      const gateway = { lanes: new CommitLanes(this.#load.lanesMax), waiting };
      while (waiting.length < this.#load.lanesMax) waiting.push({ gateway, calls: [], busy: false });
      this.#events.after(this.#random.below(this.#costs.roundTripUs), () => {
        for (let caller = 0; caller < this.#load.callersPerProcess; caller++) this.#call(gateway);
        for (const lane of waiting) this.#send(lane);
      });
    }
    // The first tenth is the start, in which all begin at once.
    const first = commits / 10;
    while (this.#done < first) this.#events.step();
    const [sinceUs, from] = [this.#events.nowUs, this.#latenciesUs.length];
    while (this.#done < commits) this.#events.step();
    const latencies = this.#latenciesUs.slice(from).sort((a, b) => a - b);
    return {
      callsPerSecond: (latencies.length * 1e6) / (this.#events.nowUs - sinceUs),
      callsPerCommit: latencies.length / (commits - first),
      p50Ms: at(latencies, 0.5) / 1_000,
      p99Ms: at(latencies, 0.99) / 1_000,
    };
  }

  /** A call ends, and waits in the lane of its space. */
  #call({ lanes, waiting }: Gateway): void {
    const space = this.#random.below(this.#load.spaces);
    waiting[lanes.laneOf(String(space))]?.calls.push({ endedUs: this.#events.nowUs, space });
  }

  #send(lane: Waiting): void {
    if (lane.busy || lane.calls.length === 0) return;
    lane.busy = true;
    const calls = lane.calls.splice(0, this.#load.groupCallsMax);
    const spaces = [...new Set(calls.map(({ space }) => space))].sort((a, b) => a - b);
    const commit = { lane, calls, spaces, locked: 0 };
    const { clientCommitUs, clientCallUs, roundTripUs } = this.#costs;
    const workUs = clientCommitUs + clientCallUs * calls.length;
    const sent = (): void => this.#events.after(roundTripUs / 2, () => this.#lock(commit));
    if (this.#load.clientOnCores) this.#work({ workUs, ofClient: true, done: sent });
    else this.#events.after(workUs, sent);
  }

  /** One space after the other; a commit that has to wait keeps those that it has. */
  #lock(commit: Commit): void {
    while (commit.locked < commit.spaces.length) {
      const space = commit.spaces[commit.locked] as number;
      const queue = this.#locks.get(space);
      if (queue !== undefined) {
        queue.push(commit);
        return;
      }
      this.#locks.set(space, []);
      commit.locked++;
    }
    const { commitUs, callUs, spaceUs } = this.#costs;
    const workUs = commitUs + callUs * commit.calls.length + spaceUs * commit.spaces.length;
    const done = (): void => {
      this.#unsynced.push(commit);
      this.#sync();
    };
    this.#work({ workUs, ofClient: false, done });
  }

  #work(task: Task): void {
    this.#runnable.push(task);
    this.#useCores();
  }

  /** First come, first served; the client has one thread. */
  #useCores(): void {
    while (this.#freeCores > 0) {
      const place = this.#runnable.findIndex(({ ofClient }) => !ofClient || !this.#clientBusy);
      const [task] = place < 0 ? [] : this.#runnable.splice(place, 1);
      if (task === undefined) return;
      this.#freeCores--;
      if (task.ofClient) this.#clientBusy = true;
      this.#events.after(task.workUs, () => {
        this.#freeCores++;
        if (task.ofClient) this.#clientBusy = false;
        task.done();
        this.#useCores();
      });
    }
  }

  /** What is written while the disk is busy is stored together afterwards. */
  #sync(): void {
    if (this.#syncing || this.#unsynced.length === 0) return;
    this.#syncing = true;
    const together = this.#unsynced.splice(0);
    this.#events.after(this.#costs.syncUs, () => {
      this.#syncing = false;
      for (const commit of together) this.#finish(commit);
      this.#sync();
    });
  }

  #finish(commit: Commit): void {
    for (const space of commit.spaces) this.#unlock(space);
    this.#events.after(this.#costs.roundTripUs / 2, () => {
      for (const { endedUs } of commit.calls) this.#latenciesUs.push(this.#events.nowUs - endedUs);
      this.#done++;
      commit.lane.busy = false;
      const { gateway } = commit.lane;
      gateway.lanes.committed(commit.spaces.length);
      for (const _ of commit.calls) this.#call(gateway);
      for (const lane of gateway.waiting) this.#send(lane);
    });
  }

  #unlock(space: number): void {
    const queue = this.#locks.get(space) as Commit[];
    const next = queue.shift();
    if (next === undefined) {
      this.#locks.delete(space);
      return;
    }
    next.locked++;
    this.#lock(next);
  }
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

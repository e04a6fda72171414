/**
 * One run of load against one port, bounded in calls and in time. Either a closed loop (each
 * connection sends its next call when the last is answered) or a fixed rate (calls begin when they
 * are due, whether or not earlier ones are answered; the connections are the most that may be out).
 */
import { Connection } from './connection.ts';
import { embeddingsBody } from './embeddings-workload.ts';
import type { LoadJob, LoadResult } from './load-job.ts';
import { longBody } from './long-workload.ts';
import type { Reply } from './reply-reader.ts';
import { callBody, faultOf, paths, sentAt } from './workload.ts';

/** More connections at once would overflow the queue of a listener. */
const CONNECTED_AT_ONCE = 50;
const FAULTS_KEPT = 5;

export class LoadRun {
  readonly #job: LoadJob;
  readonly #request: Buffer;
  readonly #latencies: Float64Array;
  readonly #firstFrames: Float64Array;
  readonly #idle: Connection[] = [];
  readonly #waiting: number[] = [];
  readonly #connections = new Set<Connection>();
  readonly #faults: string[] = [];
  readonly #over = Promise.withResolvers<void>();
  #issued = 0;
  #answered = 0;
  #wrong = 0;
  #inFlight = 0;
  #inFlightMax = 0;
  #startMs = 0;

  constructor(job: LoadJob) {
    this.#job = job;
    this.#request = requestBytes(job);
    this.#latencies = new Float64Array(job.callsMax);
    this.#firstFrames = new Float64Array(job.callsMax);
  }

  async run(): Promise<LoadResult> {
    const { connections, timeMs, graceMs, ratePerSecond } = this.#job;
    await this.#connect(connections);
    this.#startMs = performance.now();
    const givingUp = setTimeout(() => this.#giveUp(), timeMs + graceMs);
    const ticking = ratePerSecond === null ? null : setInterval(() => this.#issueDue(ratePerSecond), 1);
    if (ticking === null) for (const connection of [...this.#idle.splice(0)]) this.#next(connection);
    await this.#over.promise;
    clearTimeout(givingUp);
    if (ticking !== null) clearInterval(ticking);
    const elapsedMs = performance.now() - this.#startMs;
    for (const connection of this.#connections) connection.close();
    return this.#result(elapsedMs);
  }

  async #connect(count: number): Promise<void> {
    const events = {
      reply: (connection: Connection, reply: Reply) => this.#reply(connection, reply),
      broken: (connection: Connection, reason: string) => this.#broken(connection, reason),
    };
    while (this.#connections.size < count) {
      const opening: Promise<void>[] = [];
      for (let i = 0; i < CONNECTED_AT_ONCE && this.#connections.size < count; i++) {
        const connection = new Connection(this.#job.port, events, {
          stamped: this.#job.stamped,
          large: this.#job.wire === 'embeddings',
        });
        this.#connections.add(connection);
        this.#idle.push(connection);
        opening.push(connection.opened());
      }
      await Promise.all(opening);
    }
  }

  #mayIssue(): boolean {
    return this.#issued < this.#job.callsMax && performance.now() - this.#startMs < this.#job.timeMs;
  }

  #send(connection: Connection, startedMs: number): void {
    this.#issued++;
    this.#inFlight++;
    if (this.#inFlight > this.#inFlightMax) this.#inFlightMax = this.#inFlight;
    connection.send(this.#request, startedMs);
  }

  /** Closed loop: another call, or nothing more from this connection. */
  #next(connection: Connection): void {
    if (this.#mayIssue()) this.#send(connection, performance.now());
    else if (this.#inFlight === 0) this.#over.resolve();
  }

  /** A late timer of this process is no fault of the server: a call begins when it is noticed due. */
  #issueDue(ratePerSecond: number): void {
    const now = performance.now();
    const { callsMax, timeMs } = this.#job;
    const due = Math.min(
      callsMax,
      Math.floor((Math.min(now - this.#startMs, timeMs) * ratePerSecond) / 1000),
    );
    while (this.#issued + this.#waiting.length < due) {
      const connection = this.#idle.pop();
      if (connection === undefined) this.#waiting.push(now);
      else this.#send(connection, now);
    }
    const allIssued = this.#issued >= callsMax || now - this.#startMs >= timeMs;
    if (allIssued && this.#inFlight === 0 && this.#waiting.length === 0) this.#over.resolve();
  }

  #reply(connection: Connection, reply: Reply): void {
    const latencyMs = performance.now() - connection.startedMs;
    this.#inFlight--;
    const fault =
      reply.status === 200
        ? faultOf(reply, this.#job)
        : `status ${reply.status}: ${reply.body.slice(0, 300)}`;
    if (fault === null) {
      this.#firstFrames[this.#answered] = this.#firstFrameMs(connection, reply);
      this.#latencies[this.#answered++] = latencyMs;
    } else this.#fault(fault);
    if (this.#job.ratePerSecond === null) this.#next(connection);
    else this.#free(connection);
  }

  #firstFrameMs(connection: Connection, reply: Reply): number {
    const sent = this.#job.stamped ? sentAt(reply.body) : null;
    return sent === null ? 0 : Number(connection.firstFrameNs - sent) / 1e6;
  }

  /** Fixed rate: what has waited for a connection goes first. */
  #free(connection: Connection): void {
    const since = this.#waiting.shift();
    if (since === undefined) this.#idle.push(connection);
    else this.#send(connection, since);
  }

  #broken(connection: Connection, reason: string): void {
    this.#connections.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    if (connection.busy) this.#inFlight--;
    this.#fault(reason);
    if (this.#connections.size === 0 || (this.#inFlight === 0 && !this.#mayIssue())) this.#over.resolve();
  }

  #giveUp(): void {
    if (this.#inFlight > 0) this.#fault(`${this.#inFlight} calls were not answered in time`, this.#inFlight);
    this.#over.resolve();
  }

  #fault(reason: string, calls = 1): void {
    this.#wrong += calls;
    if (this.#faults.length < FAULTS_KEPT) this.#faults.push(reason);
  }

  #result(elapsedMs: number): LoadResult {
    const latencies = this.#latencies.subarray(0, this.#answered).sort();
    const firstFrames = this.#firstFrames.subarray(0, this.#answered).sort();
    return {
      calls: this.#answered,
      wrong: this.#wrong,
      faults: this.#faults,
      elapsedMs,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      firstFrameP50Ms: quantile(firstFrames, 0.5),
      firstFrameP99Ms: quantile(firstFrames, 0.99),
      inFlightMax: this.#inFlightMax,
    };
  }
}

function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.ceil(sorted.length * part) - 1] ?? 0;
}

function bodyOf(job: LoadJob): string {
  if (job.wire === 'embeddings') return embeddingsBody(job);
  return job.bodyBytes > 0 ? longBody({ ...job, bytes: job.bodyBytes }) : callBody(job);
}

function requestBytes(job: LoadJob): Buffer {
  const body = bodyOf(job);
  const authorization = job.key === null ? '' : `Authorization: Bearer ${job.key}\r\n`;
  const more = Object.entries(job.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST ${paths[job.wire]} HTTP/1.1\r\nHost: 127.0.0.1:${job.port}\r\nContent-Type: application/json\r\n` +
      `User-Agent: bench\r\n${authorization}${more.join('')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

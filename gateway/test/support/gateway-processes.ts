/** Several processes on the PostgreSQL and the simulator of a gateway. Each can be killed, stopped and started again. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '../../src/database/sql.ts';
import { pointAt } from './config.ts';
import type { TestGateway } from './gateway.ts';
import { type GatewayPlace, type GatewayProcess, startGatewayProcess } from './gateway-process.ts';

export class GatewayProcesses {
  readonly #gateway: TestGateway;
  readonly #folder: string;
  readonly #places: readonly GatewayPlace[];
  readonly #running: GatewayProcess[] = [];
  readonly #paused = new Set<GatewayProcess>();

  private constructor(gateway: TestGateway, config: string, count: number) {
    this.#gateway = gateway;
    this.#folder = mkdtempSync(join(tmpdir(), 'tollgate-test-processes-'));
    this.#places = Array.from({ length: count }, (_, place) => {
      const folder = join(this.#folder, String(place));
      const configFile = join(folder, 'tollgate.yaml');
      mkdirSync(folder);
      writeFileSync(configFile, pointAt(config, gateway));
      return { folder, configFile, databaseUrl: gateway.databaseUrl };
    });
  }

  static async start(gateway: TestGateway, config: string, count: number): Promise<GatewayProcesses> {
    const processes = new GatewayProcesses(gateway, config, count);
    try {
      for (let place = 0; place < count; place++) await processes.restart(place);
      return processes;
    } catch (error) {
      await processes.stop();
      throw error;
    }
  }

  get size(): number {
    return this.#places.length;
  }

  at(place: number): GatewayProcess {
    return this.#running[place] as GatewayProcess;
  }

  /** The places of those that run. */
  get alive(): number[] {
    return [...this.#running.keys()].filter(
      (place) => this.at(place).alive && !this.#paused.has(this.at(place)),
    );
  }

  /** Stops it with SIGSTOP until the result is called. */
  pause(place: number): () => void {
    const paused = this.at(place);
    this.#paused.add(paused);
    process.kill(paused.pid, 'SIGSTOP');
    return () => {
      process.kill(paused.pid, 'SIGCONT');
      this.#paused.delete(paused);
    };
  }

  /** The id under which a process is registered, or was. */
  async idOf(place: number): Promise<string> {
    const [row] = await this.#gateway.query<{ id: string }>(sql`
      select id from processes where pid = ${this.at(place).pid} order by started_at desc limit 1`);
    return row?.id ?? '';
  }

  /** Starts a process that was killed or stopped. */
  async restart(place: number): Promise<void> {
    this.#running[place] = await startGatewayProcess(this.#places[place] as GatewayPlace);
  }

  chat(place: number, key: string, body: object): Promise<Response> {
    return fetch(`${this.at(place).url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((running) => running.stop()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

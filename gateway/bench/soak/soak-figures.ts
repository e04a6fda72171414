/** What the gateway holds at a moment: memory, handles and connections, by its metrics, the kernel and the database. */
import { readdirSync, readlinkSync } from 'node:fs';
import { loadavg } from 'node:os';
import pg from 'pg';
import { MIB } from '../../src/kernel/bytes.ts';
import { type Growth, type GrowthBound, growthOf } from './growth.ts';

export const figureNames = ['heap_mib', 'rss_mib', 'handles', 'files', 'sockets', 'database'] as const;
export type FigureName = (typeof figureNames)[number];
export type SoakFigures = Readonly<Record<FigureName, number>>;

/** Documented in docs/reliability.md. */
export const bounds: Readonly<Record<FigureName, GrowthBound>> = {
  heap_mib: { least: 10, part: 0.1 },
  rss_mib: { least: 30, part: 0.1 },
  handles: { least: 10, part: 0.1 },
  files: { least: 10, part: 0.1 },
  sockets: { least: 10, part: 0.1 },
  database: { least: 2, part: 0.1 },
};

export class SoakMeter {
  readonly #pid: number;
  readonly #metricsUrl: string;
  readonly #database: pg.Client;

  constructor(options: { pid: number; metricsUrl: string; databaseUrl: string }) {
    this.#pid = options.pid;
    this.#metricsUrl = options.metricsUrl;
    this.#database = new pg.Client({ connectionString: options.databaseUrl, application_name: 'soak' });
  }

  async open(): Promise<void> {
    await this.#database.connect();
  }

  async close(): Promise<void> {
    await this.#database.end();
  }

  /** After all garbage was collected. */
  async read(): Promise<SoakFigures> {
    process.kill(this.#pid, 'SIGUSR2');
    const text = await (await fetch(this.#metricsUrl)).text();
    const metric = (name: string): number =>
      Number(new RegExp(`^${name} ([\\d.e+]+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    const { rows } = await this.#database.query<{ count: string }>(
      `select count(*) from pg_stat_activity where application_name like 'tollgate %'`,
    );
    const links = openFiles(this.#pid);
    return {
      heap_mib: metric('nodejs_heap_size_used_bytes') / MIB,
      rss_mib: metric('process_resident_memory_bytes') / MIB,
      handles: metric('nodejs_active_handles_total'),
      files: links.length,
      sockets: links.filter((link) => link.startsWith('socket:')).length,
      database: Number(rows[0]?.count),
    };
  }
}

function openFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return [];
    }
  });
}

/** The least of each figure: calls in flight are no leaks. */
export function leastOf(figures: readonly SoakFigures[]): SoakFigures {
  const entries = figureNames.map((name) => [name, Math.min(...figures.map((one) => one[name]))]);
  return Object.fromEntries(entries) as SoakFigures;
}

export function growthByName(intervals: readonly SoakFigures[]): Record<FigureName, Growth> {
  const entries = figureNames.map((name) => {
    const samples = intervals.map((figures) => figures[name]);
    return [name, growthOf(samples, bounds[name])];
  });
  return Object.fromEntries(entries) as Record<FigureName, Growth>;
}

export function printRow(first: string, figures: Readonly<Record<FigureName, number>>): string {
  const cells = figureNames.map((name) => figures[name].toFixed(name.endsWith('mib') ? 1 : 0).padStart(10));
  return `${first.padEnd(12)}${cells.join('')}   load ${loadavg()[0]?.toFixed(1)}`;
}

export function printHead(): string {
  return `${'minute'.padEnd(12)}${figureNames.map((name) => name.padStart(10)).join('')}`;
}

export function printGrowth(name: FigureName, { median, rise, riseMax, grows }: Growth): string {
  const verdict = grows ? 'GROWS' : 'steady';
  return `${name.padEnd(10)} median ${median.toFixed(1)}, rises by ${rise.toFixed(1)}, allowed ${riseMax.toFixed(1)}: ${verdict}`;
}

/** Who owns the memory of a process, as the kernel and the process itself report it. */
import { readFileSync } from 'node:fs';
import { rssMib } from './process-figures.ts';
import type { Table } from './table.ts';
import type { Target } from './target.ts';

export const phases = [
  'rest',
  'streams',
  '60 s after streams',
  '120 s after streams',
  'images',
  '60 s after images',
] as const;
export type Phase = (typeof phases)[number];

/** MiB. */
export interface MemoryFigures {
  readonly rss: number;
  /** Of the main thread: all of V8's heap, what is used of it, and buffers outside of it. */
  readonly heap: number;
  readonly used: number;
  readonly buffers: number;
  /** Mapped files: the program and its libraries, which processes share. */
  readonly files: number;
  /** The memory of the embedded engine: the largest mapping of its kind. */
  readonly engine: number;
  /** What the allocator has, but for mappings of single blocks. */
  readonly malloc: number;
}

const LOOK_MS = 500;
const MIB = 1024 ** 2;
/** V8 reserves the memory of an engine in one piece, and uses the beginning of it. */
const ENGINE_BYTES = 120 * MIB;
const ARENA_BYTES = 64 * MIB;

export class MemoryWatch {
  readonly figures = new Map<string, Map<Phase, MemoryFigures>>();

  async note(target: Target, phase: Phase): Promise<MemoryFigures> {
    const found = await readFigures(target);
    this.#keep(target, phase, found);
    return found;
  }

  /** Keeps the figures of the moment at which the process was largest. */
  async during<T>(target: Target, phase: Phase, work: () => Promise<T>): Promise<T> {
    let largest: MemoryFigures | null = null;
    let looking = Promise.resolve();
    let busy = false;
    const look = async (): Promise<void> => {
      busy = true;
      const found = await readFigures(target);
      if (largest === null || found.rss > largest.rss) largest = found;
      busy = false;
    };
    const timer = setInterval(() => {
      if (!busy) looking = look();
    }, LOOK_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      await looking;
      if (largest !== null) this.#keep(target, phase, largest);
    }
  }

  #keep({ name }: Target, phase: Phase, figures: MemoryFigures): void {
    const known = this.figures.get(name) ?? new Map<Phase, MemoryFigures>();
    this.figures.set(name, known.set(phase, figures));
  }
}

async function readFigures(target: Target): Promise<MemoryFigures> {
  const pids = target.pids();
  const rss = rssMib(pids);
  const mappings = readMappings(pids[0] as number);
  const metrics = await readMetrics(target);
  const sum = (of: readonly Mapping[]): number => of.reduce((all, { rssKib }) => all + rssKib, 0) / 1024;
  const engines = mappings.filter(isEngine).sort((a, b) => b.rssKib - a.rssKib);
  return {
    rss,
    heap: metrics('nodejs_heap_size_total_bytes'),
    used: metrics('nodejs_heap_size_used_bytes'),
    buffers: metrics('nodejs_external_memory_bytes'),
    files: sum(mappings.filter(({ name }) => name.startsWith('/'))),
    engine: sum(engines.slice(0, 1)),
    malloc: sum(mappings.filter((one) => one.name === '[heap]' || isArena(one))),
  };
}

interface Mapping {
  readonly from: number;
  readonly bytes: number;
  readonly rights: string;
  readonly name: string;
  rssKib: number;
}

function isEngine({ bytes, rights, name }: Mapping): boolean {
  return name === '' && rights === 'rw-p' && bytes >= ENGINE_BYTES;
}

/** glibc aligns the arenas of threads. */
function isArena({ from, bytes, rights, name }: Mapping): boolean {
  return name === '' && rights === 'rw-p' && from % ARENA_BYTES === 0 && bytes <= ARENA_BYTES;
}

function readMappings(pid: number): Mapping[] {
  const mappings: Mapping[] = [];
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const head = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)$/.exec(line);
    if (head !== null) {
      const [, from = '', to = '', rights = '', name = ''] = head;
      const first = Number.parseInt(from, 16);
      mappings.push({ from: first, bytes: Number.parseInt(to, 16) - first, rights, name, rssKib: 0 });
    }
    const rss = /^Rss:\s+(\d+) kB/.exec(line);
    const last = mappings.at(-1);
    if (rss !== null && last !== undefined) last.rssKib = Number(rss[1]);
  }
  return mappings;
}

/** What the process says of itself, in MiB. */
async function readMetrics({ metricsUrl }: Target): Promise<(name: string) => number> {
  if (metricsUrl === undefined) return () => Number.NaN;
  const text = await (await fetch(metricsUrl.replace('localhost', '127.0.0.1'))).text();
  return (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN) / MIB;
}

export function memoryTables({ figures }: MemoryWatch): Table[] {
  return [...figures].map(([name, byPhase]) => ({
    title: `Memory of one process, ${name} (MiB)`,
    head: ['', 'resident', 'V8 heap', 'used of it', 'buffers', 'engine', 'allocator', 'program', 'rest'],
    rows: phases.flatMap((phase) => {
      const found = byPhase.get(phase);
      return found === undefined ? [] : [row(phase, found)];
    }),
    notes: [],
  }));
}

const titles: Readonly<Record<Phase, string>> = {
  rest: 'at rest, 60 s after the start',
  streams: 'with 2,000 slow streams',
  '60 s after streams': '60 s after them',
  '120 s after streams': '120 s after them',
  images: 'with 50 images of 10 MB',
  '60 s after images': '60 s after them',
};

function row(phase: Phase, figures: MemoryFigures): string[] {
  const { rss, heap, used, buffers, engine, malloc, files } = figures;
  const rest = rss - heap - buffers - engine - malloc - files;
  return [
    titles[phase],
    ...[rss, heap, used, buffers, engine, malloc, files, rest].map((mib) => String(Math.round(mib) + 0)),
  ];
}

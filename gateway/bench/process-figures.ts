/** What the kernel knows of processes: time on the processor and memory, from /proc. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export const figuresAvailable = existsSync('/proc/self/stat');

const ticksPerSecond = figuresAvailable
  ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  : 100;
/** Where the fields of /proc/PID/stat stand, counted after the name of the program. */
const PARENT = 1;
const OWN = [11, 12];
const REAPED = [13, 14];

/** User and system time of all threads, in microseconds. */
export function cpuUs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + sumOf(statOf(pid), OWN), 0) * usPerTick();
}

/** The same of a process, its children, and the children it has already buried. */
export function familyCpuUs(pid: number): number {
  return sumOf(statOf(pid), REAPED) * usPerTick() + cpuUs([pid, ...childrenOf(pid)]);
}

export function rssMib(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + rssKib(pid), 0) / 1024;
}

export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(statOf(pid)[PARENT]) === parent);
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[PARENT]);
}

function usPerTick(): number {
  return 1_000_000 / ticksPerSecond;
}

function sumOf(stat: readonly string[], fields: readonly number[]): number {
  return fields.reduce((sum, field) => sum + Number(stat[field] ?? 0), 0);
}

/** Empty for a process that is gone. */
function statOf(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function rssKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

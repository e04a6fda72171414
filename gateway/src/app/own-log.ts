/** Writes the gateway's own log as the log of a pod: project `gateway`, one file per start, rotated and size-limited. */
import { hash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { OWN_PROJECT } from '../contract/administration/words.ts';
import type { Clock } from '../kernel/time.ts';
import { RecordWriter } from '../logs/files/write-records.ts';
import { createLog, type Log, type LogLevel } from '../telemetry/log.ts';

const CONTAINER = 'gateway';
/** Number of starts whose logs are kept. */
const STARTS_MAX = 5;

export interface OwnLog {
  readonly log: Log;
  stop(): Promise<void>;
}

/** Returns a log that writes to the given one and, at its own level, to the files. */
export function startOwnLog(
  console: Log,
  options: {
    root: string;
    dataFolder: string;
    level: LogLevel;
    clock: Clock;
    /** Of a process that has a supervisor; each writes as a pod of its own. */
    processNumber: number | null;
  },
): OwnLog {
  const { root, dataFolder, clock, level, processNumber } = options;
  const place = `${hostname()} ${dataFolder}`;
  const uid = hash('sha256', processNumber === null ? place : `${place} ${processNumber}`).slice(0, 32);
  const pod = `tollgate-${uid.slice(0, 5)}`;
  const folder = join(root, 'pods', `${OWN_PROJECT}_${pod}_${uid}`, CONTAINER);
  const writer = new RecordWriter({ folder, restart: nextStart(folder), clock });
  const fileLevel = level === 'debug' || level === 'silent' ? level : 'info';
  const file = createLog({ level: fileLevel, write: (line) => writer.write(line) });
  return { log: teeLog(console, file), stop: () => writer.flush() };
}

function nextStart(folder: string): number {
  const starts = new Set<number>();
  for (const name of namesIn(folder)) {
    const start = /^(\d{1,9})\.log/.exec(name)?.[1];
    if (start !== undefined) starts.add(Number(start));
  }
  const kept = [...starts].sort((a, b) => a - b);
  for (const start of kept.slice(0, Math.max(0, kept.length - STARTS_MAX + 1))) {
    for (const name of namesIn(folder)) if (name.startsWith(`${start}.log`)) rmSync(join(folder, name));
  }
  return (kept.at(-1) ?? -1) + 1;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function teeLog(first: Log, second: Log): Log {
  const both =
    (level: keyof Log): Log[keyof Log] =>
    (message, fields) => {
      first[level](message, fields);
      second[level](message, fields);
    };
  return { debug: both('debug'), info: both('info'), warn: both('warn'), error: both('error') };
}

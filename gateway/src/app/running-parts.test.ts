import { expect, test } from 'vitest';
import { createLog } from '../telemetry/log.ts';
import { type Part, RunningParts } from './running-parts.ts';

function stage(parts: ReadonlyArray<Part<null>>) {
  const logged: string[] = [];
  const log = createLog({ level: 'error', write: (line) => logged.push(line) });
  return { parts: new RunningParts(parts, log), logged };
}

test('parts start in the order of the list and stop stage by stage, each stage in the order of the list', async () => {
  const seen: string[] = [];
  const part = (name: string, stopsAt: Part<null>['stopsAt']): Part<null> => ({
    ...{ name, stopsAt },
    running: { start: async () => void seen.push(`+${name}`), stop: async () => void seen.push(`-${name}`) },
  });
  const { parts } = stage([
    part('database', 'database'),
    part('keys', 'followers'),
    part('http', 'leave'),
    part('limits', 'followers'),
  ]);
  await parts.start();
  await parts.stop(null);
  expect(seen).toEqual(['+database', '+keys', '+http', '+limits', '-http', '-keys', '-limits', '-database']);
});

test('a part that stops early begins before the first stage, and its own stage waits for it', async () => {
  const seen: string[] = [];
  const ended = Promise.withResolvers<void>();
  const { parts } = stage([
    { name: 'http', stopsAt: 'leave', running: { stop: () => void seen.push('leave') } },
    {
      ...{ name: 'workers', stopsAt: 'jobs', stopsEarly: true },
      running: {
        stop: async () => {
          seen.push('workers begin');
          await ended.promise;
          seen.push('workers end');
        },
      },
    },
    {
      ...{ name: 'timers', stopsAt: 'timers' },
      running: {
        stop: () => {
          seen.push('timers');
          ended.resolve();
        },
      },
    },
    { name: 'calls', stopsAt: 'calls', running: { stop: () => void seen.push('calls') } },
  ]);
  await parts.stop(null);
  expect(seen).toEqual(['workers begin', 'leave', 'timers', 'workers end', 'calls']);
});

test('a part that cannot be stopped is logged with its name, and the parts after it are stopped', async () => {
  const stopped: string[] = [];
  const { parts, logged } = stage([
    { name: 'first', stopsAt: 'leave', running: { stop: async () => void stopped.push('first') } },
    { name: 'stuck', stopsAt: 'leave', running: { stop: () => Promise.reject(new Error('stuck')) } },
    {
      ...{ name: 'broken', stopsAt: 'leave' },
      running: {
        stop: () => {
          throw new Error('broken');
        },
      },
    },
    { name: 'last', stopsAt: 'database', running: { stop: async () => void stopped.push('last') } },
  ]);
  await parts.stop(null);
  expect(stopped).toEqual(['first', 'last']);
  expect(logged).toHaveLength(2);
  expect(logged[0]).toContain('stuck');
});

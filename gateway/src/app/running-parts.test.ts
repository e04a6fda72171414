import { expect, test } from 'vitest';
import { createLog } from '../telemetry/log.ts';
import { stopInOrder } from './running-parts.ts';

test('a part that cannot be stopped is logged, and those after it are stopped in order', async () => {
  const stopped: string[] = [];
  const logged: string[] = [];
  const log = createLog({ level: 'error', write: (line) => logged.push(line) });
  const steps = [
    async () => void stopped.push('first'),
    () => Promise.reject(new Error('stuck')),
    () => {
      throw new Error('broken');
    },
    async () => void stopped.push('last'),
  ];
  await stopInOrder(steps, log);
  expect(stopped).toEqual(['first', 'last']);
  expect(logged).toHaveLength(2);
  expect(logged[0]).toContain('stuck');
});

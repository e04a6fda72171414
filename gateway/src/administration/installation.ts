/** What the installation itself is and how it is doing; the running server answers. */
import { Problem } from '../kernel/problem.ts';
import { kstOf } from '../kernel/time.ts';
import { readSlices } from '../metering/purses/purses.store.ts';
import { listProcesses } from '../processes/processes.store.ts';
import { readBacklog } from './backlog.store.ts';
import { read } from './operation.ts';

const listOfModels = read('models.list', async ({ models, space }) => ({
  data: (await needed(models)(space.name)).filter(({ alias_of }) => alias_of === undefined),
  next_cursor: null,
}));

const version = read('installation.version', async ({ installation }) => {
  const { version: running, demo } = needed(installation);
  return { version: running, node: process.version, demo };
});

const health = read('installation.health', async ({ db, now, installation }) => {
  return { ...needed(installation).health(), ...(await readBacklog(db, now)), database: db.engine };
});

const processes = read('installation.processes', async ({ db }) => {
  const found = await listProcesses(db);
  return {
    processes: found.map(({ startedAt, leaseUntil, roles, activity, ...facts }) => ({
      ...facts,
      roles: roles.split(','),
      since: kstOf(startedAt),
      lease_until: kstOf(leaseUntil),
      holds: activity && {
        calls: activity.holds,
        oldest_seconds: Math.round(activity.oldestHoldMs / 1_000),
        recalls_sent: activity.recallsSent,
        recalls_answered: activity.recallsAnswered,
        slices_folded: activity.slicesFolded,
      },
    })),
    purses: await readSlices(db),
  };
});

const config = read('installation.config', async ({ installation }) => needed(installation).config());

export const installationOperations = [listOfModels, version, health, processes, config] as const;

function needed<Part>(part: Part | null): Part {
  if (part !== null) return part;
  throw new Problem('service_unavailable', {
    detail: 'This needs a running server. Start it with "tollgate serve".',
  });
}

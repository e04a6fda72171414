import { ExampleGiven, ExampleResult } from '../example-values.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE } from './places.ts';

const FINISHED = 'bld_01kdm5t1g5j9m3q7u1x5b9e3hk';
const STARTED = 'bld_01kdm6j6p0s4v8z2c6f0k4n8ra';
const RUNNING_BUILD = {
  id: 'bld_01kdm5v4n8r2u6y0c4f8j2mpsw',
  status: 'running',
  started_at: '2026-11-16T14:11:02+09:00',
  finished_at: null,
};
const added = { ...demo, project: new ExampleResult('projects.add', 'id') };
const GIVEN = { ids: 'store-*', space: 'demo', state: 'given', since: '2026-11-16T14:20:31+09:00' };

export const projectsDocs: TagDocs = {
  tag: 'Projects and builds',
  description: 'Projects and their builds, whose logs the members of a space can read.',
  operations: {
    'projects.list': {
      description: 'Read the logs of a project with `GET /api/projects/{id}/logs`.',
      examples: [
        {
          title: 'All projects',
          path: demo,
          answer: {
            data: [
              {
                ...{ id: 'demo', name: 'demo', space: 'demo', created_at: '2026-11-16T14:10:02+09:00' },
                last_build: RUNNING_BUILD,
              },
            ],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'projects.add': {
      description:
        'The logs are those of the pods whose namespace is the id, or on Kubernetes of those that carry it in the label `tollgate.dev/project`. So an administrator of the space uses only ids that the space has (`projectIds.list`); an operator uses any that no other space has, and thereby gives it to the space. A project that was removed can be added again.',
      examples: [
        {
          title: 'A new project',
          path: demo,
          body: { id: 'shop', name: 'Shop' },
          answer: { id: 'shop', name: 'Shop', space: 'demo' },
        },
      ],
      errors: {
        conflict: {
          detail: 'There is already a project demo in demo.',
          param: 'id',
          provoke: { body: { id: 'demo' } },
        },
        invalid_parameter: {
          detail:
            'id "My shop" is not valid: it must be the id of a project: 1 to 63 lower-case letters, digits or hyphens, not beginning with a hyphen.',
          param: 'id',
          provoke: { body: { id: 'My shop' } },
        },
      },
    },
    'projects.rename': {
      description: 'The id stays, and with it the addresses of the logs. The name is unique in the space.',
      examples: [
        {
          title: 'Another display name',
          path: added,
          body: { name: 'Web shop' },
          answer: { id: 'shop', name: 'Web shop', space: 'demo' },
        },
      ],
      errors: {
        conflict: {
          detail: 'There is already a project named demo in demo.',
          param: 'name',
          provoke: {
            path: { ...demo, project: new ExampleGiven('another project', 'shop') },
            body: { name: 'demo' },
          },
        },
      },
    },
    'projects.remove': {
      description:
        'Its logs and builds cannot be read any more. Its id stays with the space, because pods and files may still carry it, until an operator releases it.',
      examples: [
        {
          title: 'Remove a project',
          path: added,
          after: ['projects.rename', 'builds.list', 'builds.finish'],
          answer: { id: 'shop', name: 'Web shop', removed: true },
        },
      ],
    },
    'projectIds.list': {
      description: 'Administrators of the space add projects with ids that are given or removed.',
      examples: [
        {
          title: 'What the demo has',
          path: demo,
          answer: {
            data: [{ ids: 'demo', space: 'demo', state: 'used', since: '2026-11-16T14:10:02+09:00' }, GIVEN],
            ...LAST_PAGE,
          },
          after: ['projectIds.give'],
        },
      ],
    },
    'projectIds.give': {
      description:
        "An id, or a prefix with a hyphen and an asterisk for all ids that begin with it. It must not overlap ids of another space, also not those of removed projects. `gateway` is the gateway's own log, which only operators read: no space can have it.",
      examples: [
        {
          title: 'All ids that begin with store-',
          path: demo,
          body: { ids: 'store-*' },
          answer: GIVEN,
        },
      ],
      errors: {
        conflict: {
          detail: 'demo has demo already.',
          param: 'ids',
          provoke: { path: demo, body: { ids: 'demo' } },
        },
        invalid_parameter: {
          detail: "gateway is the gateway's own log, which only operators read. No space can have it.",
          param: 'ids',
          provoke: { path: demo, body: { ids: 'gateway' } },
        },
      },
    },
    'projectIds.release': {
      description:
        'Of a prefix, projects that the space has stay with it. Of the id of a removed project, its builds are deleted. Another space that gets the id reads what pods with it wrote before.',
      examples: [
        {
          title: 'Release a prefix',
          path: { ...demo, ids: new ExampleResult('projectIds.give', 'ids') },
          after: ['projectIds.list'],
          answer: { ids: 'store-*', space: 'demo', released: true },
        },
      ],
      errors: {
        conflict: {
          detail: 'A project of demo has the id demo. Remove the project first.',
          param: 'ids',
          provoke: { path: { ...demo, ids: 'demo' } },
        },
      },
    },
    'builds.list': {
      description: 'Read the log of a finished build with `GET /api/builds/{id}/logs`.',
      examples: [
        {
          title: 'A running and a finished build',
          path: { ...demo, project: 'demo' },
          answer: {
            data: [
              RUNNING_BUILD,
              {
                id: FINISHED,
                status: 'succeeded',
                started_at: '2026-11-16T14:10:02+09:00',
                finished_at: '2026-11-16T14:10:47+09:00',
              },
            ],
            ...LAST_PAGE,
          },
        },
      ],
    },
    'builds.start': {
      description:
        'For the program that runs your builds. Write the log of the build to the file `log`, then finish the build.',
      examples: [
        {
          title: 'A build starts',
          path: added,
          answer: { id: STARTED, project: 'shop', status: 'running', log: `builds/${STARTED}.log` },
        },
      ],
    },
    'builds.finish': {
      description: 'Its log can be read from then on. A build is finished once.',
      examples: [
        {
          title: 'A build succeeded',
          path: { ...demo, build: new ExampleResult('builds.start', 'id') },
          body: { status: 'succeeded' },
          answer: { id: STARTED, project: 'shop', status: 'succeeded' },
        },
      ],
      errors: {
        conflict: {
          detail: `The build ${FINISHED} is already finished.`,
          provoke: { path: { ...demo, build: new ExampleGiven('finished build', FINISHED) } },
        },
        invalid_parameter: {
          detail: 'status "aborted" is not valid: it must be one of succeeded, failed.',
          param: 'status',
          provoke: { body: { status: 'aborted' } },
        },
      },
    },
  },
};

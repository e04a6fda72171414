/** `projects` and `builds`: whose logs a space can read. */
import { buildLogsCommand } from '../client/build-logs.ts';
import { argument, group, option } from '../command.ts';
import { oneOf } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

const project = argument('<project>', 'the id of the project');

const add = adminCommand('projects.add', {
  help: 'add a project; its pods carry the id in the label tollgate.dev/project, and the space has the id',
  examples: ["tollgate projects add shop --name 'The shop'"],
  arguments: { id: argument('<id>', 'the id of the project') },
  options: { space, name: option('<name>', 'the display name (default: the id)') },
});

const list = listCommand('projects.list', {
  help: 'list the projects of a space',
  examples: ['tollgate projects list --space acme'],
  options: { space },
  columns: ['id', 'name', 'space', 'last_build', 'created_at'],
  computed: { last_build: ({ last_build: build }) => build?.status ?? null },
  empty: 'No projects yet. Add one with "tollgate projects add ID".',
});

const rename = adminCommand('projects.rename', {
  help: 'change the display name of a project; its id stays',
  examples: ["tollgate projects rename shop 'The shop'"],
  arguments: { project, name: argument('<name>', 'the new name') },
  options: { space },
});

const remove = adminCommand('projects.remove', {
  help: 'remove a project; its id stays with the space, so that nobody else gets its logs',
  examples: ['tollgate projects remove shop'],
  arguments: { project },
  options: { space },
});

const idsArgument = argument('<ids>', 'an id such as shop, or a prefix such as shop-*');

const ids = listCommand('projectIds.list', {
  name: 'ids',
  help: 'list the ids that a space has: given by an operator, used by a project, or of a removed one',
  examples: ['tollgate projects ids --space acme'],
  options: { space },
  columns: ['ids', 'state', 'space', 'since'],
  empty: 'No ids yet. An operator gives one with "tollgate projects give IDS".',
});

const give = adminCommand('projectIds.give', {
  help: 'give a space an id, or all ids with a prefix, with which its administrators may add projects',
  examples: ['tollgate projects give shop --space acme', "tollgate projects give 'shop-*' --space acme"],
  arguments: { ids: idsArgument },
  options: { space },
});

const release = adminCommand('projectIds.release', {
  help: 'take an id or a prefix from a space, so that another can get it; first remove the project',
  examples: ['tollgate projects release shop --space acme'],
  arguments: { ids: idsArgument },
  options: { space },
});

export const projectCommands = group({
  name: 'projects',
  help: 'manage projects, whose logs the members of a space can read',
  commands: [add, list, rename, remove, ids, give, release],
});

const listBuilds = listCommand('builds.list', {
  help: 'list the builds of a project, newest first',
  examples: ['tollgate builds list shop'],
  arguments: { project },
  options: { space },
  columns: ['id', 'status', 'started_at', 'finished_at'],
  empty: 'No builds yet. Record one with "tollgate builds start PROJECT".',
});

const start = adminCommand('builds.start', {
  help: 'record that a build started; prints the file in the data folder that its log goes to',
  examples: ['tollgate builds start shop'],
  arguments: { project },
  options: { space },
});

const finish = adminCommand('builds.finish', {
  help: 'record how a build ended',
  examples: ['tollgate builds finish bld_01j9x8w7v6t5s4r3q2p1n0m9k8 succeeded'],
  arguments: {
    build: argument('<id>', 'the id of the build'),
    status: argument('<succeeded|failed>', 'how it ended', oneOf(['succeeded', 'failed'])),
  },
  options: { space },
});

export const buildCommands = group({
  name: 'builds',
  help: 'record and list the builds of a project, and read their logs',
  commands: [listBuilds, start, finish, buildLogsCommand],
});

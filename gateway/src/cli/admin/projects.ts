/** `projects` and `builds`: whose logs a space can read. */
import { argument, command, group, option } from '../command.ts';
import { printRows } from '../print.ts';
import { oneOf } from '../words.ts';
import { administer, administerAndPrint, space } from './administer.ts';

const id = argument('<id>', 'the id of the project');
const project = argument('<project>', 'the id of the project');

const add = command({
  name: 'add',
  help: 'add a project; its pods carry the id in the label tollgate.dev/project',
  arguments: { id },
  options: { space, name: option('<name>', 'the display name (default: the id)') },
  run: (input, flags) => administerAndPrint('projects.add', input, flags),
});

const list = command({
  name: 'list',
  help: 'list the projects of a space',
  options: { space },
  async run(input, flags) {
    const empty = 'No projects yet. Add one with "tollgate projects add ID".';
    printRows(await administer('projects.list', input, flags), { json: flags.json, empty });
  },
});

const remove = command({
  name: 'remove',
  help: 'remove a project; its id cannot be used again, so that nobody else gets its logs',
  arguments: { id },
  run: (input, flags) => administerAndPrint('projects.remove', input, flags),
});

export const projectCommands = group({
  name: 'projects',
  help: 'manage projects, whose logs the members of a space can read',
  commands: [add, list, remove],
});

const listBuilds = command({
  name: 'list',
  help: 'list the builds of a project, newest first',
  arguments: { project },
  async run(input, flags) {
    const empty = `No builds yet. Record one with "tollgate builds start ${input.project}".`;
    printRows(await administer('builds.list', input, flags), { json: flags.json, empty });
  },
});

const start = command({
  name: 'start',
  help: 'record that a build started; prints the file in the data folder that its log goes to',
  arguments: { project },
  run: (input, flags) => administerAndPrint('builds.start', input, flags),
});

const finish = command({
  name: 'finish',
  help: 'record how a build ended',
  arguments: {
    id: argument('<id>', 'the id of the build'),
    status: argument('<succeeded|failed>', 'how it ended', oneOf(['succeeded', 'failed'])),
  },
  run: (input, flags) => administerAndPrint('builds.finish', input, flags),
});

export const buildCommands = group({
  name: 'builds',
  help: 'record and list the builds of a project',
  commands: [listBuilds, start, finish],
});

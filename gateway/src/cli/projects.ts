import type { Command } from 'commander';
import { administer, flagsOf } from './administer.ts';
import { printFields, printRows, type Row } from './print.ts';

interface ProjectFlags {
  readonly space?: string;
  readonly name?: string;
}

export function addProjectCommands(program: Command): void {
  const projects = program.command('projects').description('the projects of a space, whose logs it reads');
  projects
    .command('add <id>')
    .description('add a project; its pods carry the id in the label tollgate.dev/project')
    .option('--space <name>', 'the space (may be left out when there is only one)')
    .option('--name <name>', 'how people call it (default: the id)')
    .action(async (id: string, _: unknown, command: Command) => {
      const flags = flagsOf<ProjectFlags>(command);
      const { space, name } = flags;
      const added = await administer<Row>('projects.add', { id, space, name }, flags);
      printFields(added, { json: flags.json ?? false });
    });
  projects
    .command('list')
    .description('list the projects of a space')
    .option('--space <name>', 'the space')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf<ProjectFlags>(command);
      const rows = await administer<Row[]>('projects.list', { space: flags.space }, flags);
      printRows(rows, {
        json: flags.json ?? false,
        empty: 'No projects yet. Add one with "tollgate projects add ID".',
      });
    });
  projects
    .command('remove <id>')
    .description('remove a project; its id is not given again, so nobody inherits its logs')
    .action(async (id: string, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      const removed = await administer<Row>('projects.remove', { id }, flags);
      printFields(removed, { json: flags.json ?? false });
    });
  addBuildCommands(program);
}

function addBuildCommands(program: Command): void {
  const builds = program.command('builds').description('the builds of a project');
  builds
    .command('list <project>')
    .description('list the latest builds of a project')
    .action(async (project: string, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      const rows = await administer<Row[]>('builds.list', { project }, flags);
      printRows(rows, {
        json: flags.json ?? false,
        empty: `No builds yet. A build begins with "tollgate builds start ${project}".`,
      });
    });
  builds
    .command('start <project>')
    .description('record that a build began; tells the file in the data folder its log goes to')
    .action(async (project: string, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      const started = await administer<Row>('builds.start', { project }, flags);
      printFields(started, { json: flags.json ?? false });
    });
  builds
    .command('finish <id> <succeeded|failed>')
    .description('record how a build ended')
    .action(async (id: string, status: string, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      const finished = await administer<Row>('builds.finish', { id, status }, flags);
      printFields(finished, { json: flags.json ?? false });
    });
}

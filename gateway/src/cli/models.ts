import type { Command } from 'commander';
import { readConfig } from '../app/catalog-source.ts';
import { findConfig } from '../app/settings.ts';
import { modelObject } from '../catalog/catalog.ts';
import { readCatalog } from '../catalog/read-catalog.ts';
import { flagsOf } from './administer.ts';
import { printJson, printRows } from './print.ts';

export function addModelCommands(program: Command): void {
  program
    .command('models')
    .description('list the models of the configuration with their prices and routes')
    .action((_: unknown, command: Command) => {
      const flags = flagsOf(command);
      const { file, demo } = findConfig(flags, process.env);
      const { content, updatedAt } = readConfig(file, withSimulator(demo));
      const models = [...readCatalog(content, updatedAt).models.values()];
      if (flags.json) {
        printJson(models.map(modelObject));
        return;
      }
      const rows = models.map((model) => ({
        model: model.code,
        input: modelObject(model).pricing?.input,
        output: modelObject(model).pricing?.output,
        capabilities: [...model.capabilities].join(' '),
        routes: model.routes.map((route) => `${route.provider}:${route.upstreamModel}`).join(' '),
      }));
      printRows(rows, { json: false, empty: 'The configuration has no models.' });
    });
}

/** The demo's simulator has no address until it runs; for reading the file any will do. */
export function withSimulator(demo: boolean): NodeJS.ProcessEnv {
  return demo ? { TOLLGATE_SIMULATOR_URL: 'http://127.0.0.1:1/v1', ...process.env } : process.env;
}

import type { Command } from 'commander';
import type { ModelPricing } from '../contract/models.ts';
import { flagsOf } from './administer.ts';
import { printJson, printRows } from './print.ts';
import { readInstallation } from './read-installation.ts';

export function addModelCommands(program: Command): void {
  program
    .command('models')
    .description('list the models of the configuration with their prices and routes')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf(command);
      const { catalog } = await readInstallation(flags);
      const { modelObject } = await import('../catalog/catalog.ts');
      const models = [...catalog.models.values()];
      if (flags.json) {
        printJson(models.map(modelObject));
        return;
      }
      const rows = models.map((model) => {
        const { pricing } = modelObject(model);
        return {
          model: model.code,
          input: pricing?.input,
          output: pricing?.output,
          other: otherPrice(pricing),
          capabilities: [...model.capabilities].join(' '),
          routes: model.routes.map((route) => `${route.provider}:${route.upstreamModel}`).join(' '),
        };
      });
      printRows(rows, { json: false, empty: 'The configuration has no models.' });
    });
}

/** Of what is not counted in tokens. */
function otherPrice(pricing: ModelPricing | null): string | undefined {
  if (pricing?.per_second !== undefined) return `${pricing.per_second} a second`;
  if (pricing?.per_image !== undefined) return `${pricing.per_image} an image`;
  return undefined;
}

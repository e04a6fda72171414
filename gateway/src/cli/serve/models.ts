/** `models`: what can be called. */
import type { ModelPricing, PricingRule } from '../../contract/models.ts';
import { tokenComponents } from '../../contract/price-components.ts';
import { hoursText } from '../../contract/price-hours.ts';
import { systemClock } from '../../kernel/time.ts';
import { command } from '../command.ts';
import { callerOptions, notePricesBySpace, readCaller } from '../price-caller.ts';
import { printJson, printRows } from '../print.ts';
import { readInstallation } from '../read-installation.ts';

export const modelsCommand = command({
  name: 'models',
  help: 'list the models of the configuration with their prices and routes',
  examples: ['tollgate models', 'tollgate models --space acme'],
  options: callerOptions,
  async run(typed, flags) {
    const caller = readCaller(typed);
    const { catalog } = await readInstallation(flags);
    const { modelObject } = await import('../../catalog/catalog.ts');
    const now = systemClock.now();
    const models =
      typed.space === undefined
        ? [...catalog.models.values()]
        : catalog.list({ spaceName: typed.space, models: null });
    notePricesBySpace(models, caller);
    if (flags.json) {
      printJson(models.map((model) => modelObject(model, caller, now)));
      return;
    }
    const rows = models.map((model) => {
      const { pricing } = modelObject(model, caller, now);
      return {
        model: model.code,
        input: pricing?.input,
        output: pricing?.output,
        other: [otherPrice(pricing), ...tokenPrices(pricing)].filter(Boolean).join(', ') || undefined,
        rules: pricing?.rules?.map(ruleText).join('; '),
        capabilities: [...model.capabilities].join(' '),
        routes: model.routes.map((route) => `${route.provider}:${route.upstreamModel}`).join(' '),
      };
    });
    printRows(rows, { empty: 'The configuration has no models.' });
  },
});

/** The prices beside those of plain input and output; `--json` has all of them. */
function tokenPrices(pricing: ModelPricing | null): string[] {
  if (pricing === null) return [];
  const tokens = tokenComponents.flatMap((component) => {
    const price = component === 'input' || component === 'output' ? undefined : pricing[component];
    return price === undefined ? [] : [`${component} ${price}`];
  });
  const tools = Object.entries(pricing.tools ?? {}).map(([kind, price]) => `${kind} ${price}/1000`);
  return [...tokens, ...(pricing.request === undefined ? [] : [`request ${pricing.request}`]), ...tools];
}

function ruleText({ context_above, tier, geo, batch, hours, prices }: PricingRule): string {
  const conditions = [
    ...(context_above === undefined ? [] : [`above ${context_above}`]),
    ...(tier === undefined ? [] : [tier]),
    ...(geo === undefined ? [] : [geo]),
    ...(batch ? ['batch'] : []),
    ...(hours === undefined ? [] : [hoursText(hours)]),
  ];
  return `${conditions.join(' ')}: ${prices.input ?? '-'} / ${prices.output ?? '-'}`;
}

/** The price of what is not counted in tokens: the default, and the range of the others. */
function otherPrice(pricing: ModelPricing | null): string | undefined {
  if (pricing?.per === 'second') return withRange(pricing.per_second, pricing.second_prices, 'second');
  if (pricing?.per === 'image') return withRange(pricing.per_image, pricing.image_prices, 'image');
  return undefined;
}

function withRange(
  usual: string | undefined,
  prices: ReadonlyArray<{ price: string }> | undefined,
  unit: string,
): string {
  const amounts = (prices ?? []).map(({ price }) => price).sort((a, b) => Number(a) - Number(b));
  const [least, most] = [amounts[0], amounts.at(-1)];
  const range = least === undefined || least === most ? null : `${least} to ${most}`;
  if (usual === undefined) return `${range ?? least ?? '-'} per ${unit}`;
  return `${usual} per ${unit}${range === null ? '' : ` (${range})`}`;
}

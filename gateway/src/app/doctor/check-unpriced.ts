/** Which models have no prices: their calls are recorded with an unknown cost, and nothing limits what they use. */
import type { Catalog } from '../../catalog/catalog.ts';
import { type Finding, fine, warning } from './finding.ts';

const NAMED_MAX = 10;

export function checkUnpriced({ models }: Pick<Catalog, 'models'>): Finding {
  const codes = [...models.values()].filter(({ prices }) => prices.length === 0).map(({ code }) => code);
  if (codes.length === 0) return { check: 'prices', ...fine('every model has prices') };
  const more = codes.length > NAMED_MAX ? ` and ${codes.length - NAMED_MAX} more` : '';
  const named = `${codes.slice(0, NAMED_MAX).join(', ')}${more}`;
  return {
    check: 'prices',
    ...warning(
      `no prices: ${named}. Calls of a model without prices are charged nothing and count against no limit`,
      'Add prices, 0 if they are free, or remove the model. See docs/prices.md.',
    ),
  };
}

/** Prices that were needed and that the sheet did not have. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, operation } from './admin-endpoint.ts';
import { count, fields, filter, shape, Time, text, timeOf, yes } from './fields.ts';

export const MissingPrice = shape('Something that was used or asked for and had no price.', {
  model: text('The model code.'),
  missing: text(
    'What had no price: a component such as `audio_input` or `tool.web_search`, a condition (`tier:…`, `geo:…`, `batch`), `usage:…` for a count that has no meaning here, `usage` if the usage itself is unknown, `model` for a model without prices, or `unknown` for requests from before this was recorded. For videos it is `second.` and the resolution.',
  ),
  calls: count('How many calls, batch lines and videos have an unknown cost because of it.'),
  rejected: count('How many requests were rejected because of it, before they were sent.'),
  first_at: timeOf('When the first of both started.'),
  last_at: timeOf('When the last of both started.'),
});

export const MissingPrices = shape('What was used or asked for and had no price, most requests first.', {
  data: Type.Array(MissingPrice, { description: 'One row for each model and price.' }),
  complete: yes(
    'Whether all calls without a price were examined; false: only the newest 50,000. Rejected requests are kept for a limited time.',
  ),
});

export const priceEndpoints = {
  'prices.missing': {
    ...operation('GET', `${ADMIN_BASE}/prices/missing`, 'operator'),
    summary: 'List what was used or asked for and had no price.',
    query: fields({ from: filter(Time, 'Only calls that started at or after it are counted.') }),
    response: MissingPrices,
  },
} as const satisfies Record<string, AdminEndpoint>;

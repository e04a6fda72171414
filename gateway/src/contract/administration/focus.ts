/**
 * A row of a FOCUS 1.2 dataset (FinOps Open Cost and Usage Specification). The names of columns and the fixed values are
 * those of the specification; columns that begin with x_ are our own. docs/statements.md says how units map to them.
 */
import { type Static, type TProperties, Type } from 'typebox';
import { count, orNull, shape, text, timeOf, units } from './fields.ts';
import { pageOf } from './lists.ts';
import { movementKinds } from './words.ts';

/** Of ISO 4217: costs are units, not money, and FOCUS demands a code of it. */
export const NO_CURRENCY = 'XXX';

const one = (price: string) => orNull(units(`${price}: 1 unit. Null: not usage.`));
const always = <Value extends string>(value: Value, description: string) =>
  Type.Literal(value, { description });

const columns = {
  BilledCost: units('What was charged, in units. 0 for rows that are not usage.'),
  BillingAccountId: text('The id of the space.'),
  BillingAccountName: text('The name of the space.'),
  BillingCurrency: always(NO_CURRENCY, 'The code of ISO 4217 for no currency: costs are units, not money.'),
  BillingPeriodEnd: timeOf('When the next month (KST) starts, in UTC.'),
  BillingPeriodStart: timeOf('When the month (KST) starts, in UTC.'),
  ChargeCategory: Type.Enum(['Usage', 'Credit', 'Adjustment'], {
    description: 'Usage: charges and corrections. Credit: grants. Adjustment: expiry and invoices.',
  }),
  ChargeClass: orNull(
    always('Correction', 'A correction of a call of an earlier month. Null: anything else.'),
  ),
  ChargeDescription: text('What the row is, in words.'),
  ChargeFrequency: Type.Enum(['Usage-Based', 'One-Time'], { description: 'Whether it repeats with usage.' }),
  ChargePeriodEnd: timeOf('When the day (KST) of the row ends, in UTC.'),
  ChargePeriodStart: timeOf('When the day (KST) of the row starts, in UTC.'),
  ConsumedQuantity: orNull(count('The number of requests; 0 for a correction. Null: not usage.')),
  ConsumedUnit: orNull(always('Requests', 'What is counted.')),
  ContractedCost: units('The same as BilledCost.'),
  ContractedUnitPrice: one('The price of a unit'),
  EffectiveCost: units('The same as BilledCost.'),
  InvoiceIssuerName: always('Tollgate', 'Who issues invoices.'),
  ListCost: units('The same as BilledCost.'),
  ListUnitPrice: one('The list price of a unit'),
  PricingCategory: orNull(always('Standard', 'Prices are those of the price sheet. Null: not usage.')),
  PricingCurrency: always('Units', 'The virtual currency of prices.'),
  PricingCurrencyContractedUnitPrice: one('The price of a unit in PricingCurrency'),
  PricingCurrencyEffectiveCost: units('The same as EffectiveCost.'),
  PricingCurrencyListUnitPrice: one('The list price of a unit in PricingCurrency'),
  PricingQuantity: orNull(units('The units charged. Null: not usage.')),
  PricingUnit: orNull(always('Units', 'What is priced.')),
  ProviderName: always('Tollgate', 'Who provides the service.'),
  PublisherName: always('Tollgate', 'Who publishes the service.'),
  ResourceId: orNull(text('The model. Null: not usage.')),
  ResourceName: orNull(text('The model.')),
  ResourceType: orNull(always('Model', 'What the resource is.')),
  ServiceCategory: always('AI and Machine Learning', 'The category of the service.'),
  ServiceName: always('Tollgate', 'The name of the service.'),
  ServiceSubcategory: always('Generative AI', 'The subcategory of the service.'),
  SkuId: orNull(text('The model. Null: not usage.')),
  SkuPriceId: orNull(text('The same as SkuId.')),
  SubAccountId: orNull(text('The id of the key. Null: not usage.')),
  SubAccountName: orNull(text('The name of the key.')),
  SubAccountType: orNull(always('Key', 'What a sub account is.')),
  Tags: Type.Record(Type.String(), orNull(Type.String()), {
    description:
      'The tags of the requests. A null stands for a value that is reported as other. `tollgate:member`: the e-mail address of the owner of a personal key.',
  }),
  x_Movement: Type.Enum(movementKinds, { description: 'The kind of movement, as in the statement.' }),
  x_Reference: orNull(text('The id of the corrected call, the grant or the invoice.')),
  x_Units: units('What was charged, corrected, given, expired or invoiced, as in the statement.'),
  x_UnpricedRequests: orNull(
    count('Requests whose cost is unknown, which no cost includes. Null: not a charge.'),
  ),
} satisfies TProperties;

/** So many columns are inferred one by one: as one object they are too deep for the types of all operations. */
type Columns = { [Name in keyof typeof columns]: Static<(typeof columns)[Name]> };

export const FocusRow = Type.Unsafe<Columns>(shape('A row of a FOCUS 1.2 dataset.', columns));

export const FocusPage = pageOf(
  FocusRow,
  'One row per day, model, key and tags, and one per other movement, by day.',
);

import { NO_CURRENCY } from '../../administration/focus.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, OWNER } from './places.ts';

const invalidMonth = {
  detail: 'month "2026-13" is not valid: it must be a calendar month (KST) as YYYY-MM.',
  param: 'month',
  provoke: { query: { month: '2026-13' } },
};
const charged = {
  ...{ requests: 10, unpriced: 0, charges: '0.0241348', corrections: '0', amount: '0.0241348' },
};

export const statementsDocs: TagDocs = {
  tag: 'Statements',
  description: 'A month of a space for people who pay, and for the tools they use.',
  operations: {
    'statements.get': {
      description:
        'Opening balance, one line per kind of movement, closing balance: opening plus all lines is closing, to the last decimal. `models` and `keys` both add up to `charged`. `usage` shows how the charges agree with the usage reports, and names the months that corrections belong to.',
      examples: [
        {
          title: 'The current month',
          path: demo,
          after: ['createChatCompletion'],
          answer: {
            space: 'demo',
            month: '2026-11',
            period_start: '2026-11-01T00:00:00+09:00',
            period_end: '2026-12-01T00:00:00+09:00',
            opening: { promo: '0', paid: '0', total: '0', overage: '0' },
            lines: [
              {
                ...{ kind: 'grant', source: null, entries: 2 },
                ...{ amount: '110', promo: '10', paid: '100', overage: '0' },
              },
              {
                ...{ kind: 'charge', source: 'calls', entries: 10 },
                ...{ amount: '0.0241348', promo: '-0.0241348', paid: '0', overage: '0' },
              },
            ],
            closing: { promo: '9.9758652', paid: '100', total: '109.9758652', overage: '0' },
            charged: '0.0241348',
            models: [{ model: 'sim-chat', ...charged }],
            keys: [{ key: 'demo', id: 'key_01kdm5w2k6s8w2a6d0h4k8n2rt', member: OWNER, ...charged }],
            usage: {
              cost: '0.0241348',
              corrected_elsewhere: '0',
              corrected_in: [],
              corrections_of_other_months: '0',
              corrections_of: [],
            },
          },
        },
      ],
      errors: { invalid_parameter: invalidMonth },
    },
    'reports.focus': {
      description:
        'One row per day, model and key with what they were charged, and one row per correction, grant, expiry and invoice, in the columns of the FinOps Open Cost and Usage Specification 1.2. The sum of BilledCost is `charged` of the statement.',
      examples: [
        {
          title: 'The usage of a day',
          path: demo,
          query: { limit: 1 },
          after: ['createChatCompletion'],
          answer: {
            data: [
              {
                BilledCost: '0.0241348',
                BillingAccountId: 'spc_01kdm5w2k6c0f4j8m2q6t0w4yb',
                BillingAccountName: 'demo',
                BillingCurrency: NO_CURRENCY,
                BillingPeriodEnd: '2026-11-30T15:00:00Z',
                BillingPeriodStart: '2026-10-31T15:00:00Z',
                ChargeCategory: 'Usage',
                ChargeClass: null,
                ChargeDescription: 'sim-chat with the key demo',
                ChargeFrequency: 'Usage-Based',
                ChargePeriodEnd: '2026-11-16T15:00:00Z',
                ChargePeriodStart: '2026-11-15T15:00:00Z',
                ConsumedQuantity: 10,
                ConsumedUnit: 'Requests',
                ContractedCost: '0.0241348',
                ContractedUnitPrice: '1',
                EffectiveCost: '0.0241348',
                InvoiceIssuerName: 'Tollgate',
                ListCost: '0.0241348',
                ListUnitPrice: '1',
                PricingCategory: 'Standard',
                PricingCurrency: 'Units',
                PricingCurrencyContractedUnitPrice: '1',
                PricingCurrencyEffectiveCost: '0.0241348',
                PricingCurrencyListUnitPrice: '1',
                PricingQuantity: '0.0241348',
                PricingUnit: 'Units',
                ProviderName: 'Tollgate',
                PublisherName: 'Tollgate',
                ResourceId: 'sim-chat',
                ResourceName: 'sim-chat',
                ResourceType: 'Model',
                ServiceCategory: 'AI and Machine Learning',
                ServiceName: 'Tollgate',
                ServiceSubcategory: 'Generative AI',
                SkuId: 'sim-chat',
                SkuPriceId: 'sim-chat',
                SubAccountId: 'key_01kdm5w2k6s8w2a6d0h4k8n2rt',
                SubAccountName: 'demo',
                SubAccountType: 'Key',
                Tags: { 'tollgate:member': OWNER },
                x_Movement: 'charge',
                x_Reference: null,
                x_Units: '0.0241348',
                x_UnpricedRequests: 0,
              },
            ],
            next_cursor: 'WyJGT0NVUyByb3dzIiwiMjAyNi0xMS0xNiIsIjEgc2ltLWNoYXQga2V5XzEiLCIzYjFjOWYwMiJd',
          },
        },
      ],
      errors: { invalid_parameter: invalidMonth },
    },
  },
};

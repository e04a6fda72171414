/**
 * A movement as a row of a FOCUS 1.2 dataset. Units are a virtual currency, and the specification demands a national one
 * for bills, so BillingCurrency is the code of ISO 4217 for no currency. Only usage has a cost: a grant, an expiry or an
 * invoice moves units that usage was or will be charged for.
 */
import type { Static } from 'typebox';
import { type FocusRow, NO_CURRENCY } from '../contract/administration/focus.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { type Instant, isoOf, type Month, monthStart, nextMonth } from '../kernel/time.ts';
import type { FocusMovement } from './lists/focus-page.store.ts';

type Row = Static<typeof FocusRow>;

export function focusRow(
  movement: FocusMovement,
  { space, month }: { space: { id: string; name: string }; month: Month },
): Row {
  const { kind, units, ref } = movement;
  const isUsage = kind === 'charge' || kind === 'correction';
  const cost = isUsage ? units : '0';
  const price = isUsage ? '1' : null;
  const { model, keyId, key } = movement;
  const dayStart = Date.parse(`${movement.day}T00:00:00+09:00`);
  const isOfEarlierMonth = kind === 'correction' && movement.callMonth !== month;
  return {
    BilledCost: cost,
    BillingAccountId: space.id,
    BillingAccountName: space.name,
    BillingCurrency: NO_CURRENCY,
    BillingPeriodEnd: utc(monthStart(nextMonth(month))),
    BillingPeriodStart: utc(monthStart(month)),
    ChargeCategory: isUsage ? 'Usage' : kind === 'grant' ? 'Credit' : 'Adjustment',
    ChargeClass: isOfEarlierMonth ? 'Correction' : null,
    ChargeDescription: descriptionOf(movement),
    ChargeFrequency: kind === 'charge' ? 'Usage-Based' : 'One-Time',
    ChargePeriodEnd: utc(dayStart + DAY_MS),
    ChargePeriodStart: utc(dayStart),
    ConsumedQuantity: isUsage ? (movement.requests ?? 0) : null,
    ConsumedUnit: isUsage ? 'Requests' : null,
    ContractedCost: cost,
    ContractedUnitPrice: price,
    EffectiveCost: cost,
    InvoiceIssuerName: 'Tollgate',
    ListCost: cost,
    ListUnitPrice: price,
    PricingCategory: isUsage ? 'Standard' : null,
    PricingCurrency: 'Units',
    PricingCurrencyContractedUnitPrice: price,
    PricingCurrencyEffectiveCost: cost,
    PricingCurrencyListUnitPrice: price,
    PricingQuantity: isUsage ? units : null,
    PricingUnit: isUsage ? 'Units' : null,
    ProviderName: 'Tollgate',
    PublisherName: 'Tollgate',
    ResourceId: model,
    ResourceName: model,
    ResourceType: model === null ? null : 'Model',
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: 'Tollgate',
    ServiceSubcategory: 'Generative AI',
    SkuId: model,
    SkuPriceId: model,
    SubAccountId: keyId,
    SubAccountName: key,
    SubAccountType: keyId === null ? null : 'Key',
    Tags: { ...movement.tags, ...(movement.member !== null && { 'tollgate:member': movement.member }) },
    x_Movement: kind,
    x_Reference: ref,
    x_Units: units,
    x_UnpricedRequests: kind === 'charge' ? movement.unpriced : null,
  };
}

/** The format of the specification has no fractions of a second. */
function utc(at: Instant): string {
  return isoOf(at).replace('.000Z', 'Z');
}

function descriptionOf({ kind, model, key, callMonth, ref, note }: FocusMovement): string {
  const texts: Record<FocusMovement['kind'], string> = {
    charge: `${model} with the key ${key}`,
    correction: `Correction of ${ref} of ${callMonth}`,
    grant: 'Grant of units',
    expiry: 'Expiry of promo units',
    invoice: 'Invoice of overage',
  };
  return note === '' ? texts[kind] : `${texts[kind]}: ${note}`;
}

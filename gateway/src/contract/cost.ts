/** What a call cost, as every charged reply carries it. */
import { type Static, Type } from 'typebox';
import { printUnits, type Units } from '../kernel/units.ts';
import { DecimalString, nullable } from './schema.ts';

export const COST_DISCLAIMER = 'Estimated from published pricing; actual charges may differ.';

export const EstimatedCost = nullable(
  Type.Object(
    {
      amount: DecimalString,
      currency: Type.Literal('unit'),
      disclaimer: Type.String(),
    },
    { description: 'Null when the price or the usage of the call is unknown.' },
  ),
);
export type EstimatedCost = Static<typeof EstimatedCost>;

export function estimatedCost(cost: Units | null): EstimatedCost {
  return cost === null ? null : { amount: printUnits(cost), currency: 'unit', disclaimer: COST_DISCLAIMER };
}

/** What a call cost, as every charged reply carries it. */
import { type Static, Type } from 'typebox';
import { printUnits, type Units } from '../kernel/units.ts';
import { DecimalString, nullable } from './schema.ts';

export const COST_DISCLAIMER = 'Estimated from published pricing; actual charges may differ.';

export const EstimatedCost = nullable(
  Type.Object(
    {
      amount: Type.String({ ...DecimalString, description: 'The units that the call was charged.' }),
      currency: Type.Literal('unit', { description: 'Always `unit`.' }),
      disclaimer: Type.String({ description: 'A note for people.' }),
    },
    { description: 'What the call cost. Null if its price or its usage is unknown.' },
  ),
);
export type EstimatedCost = Static<typeof EstimatedCost>;

export function estimatedCost(cost: Units | null): EstimatedCost {
  return cost === null ? null : { amount: printUnits(cost), currency: 'unit', disclaimer: COST_DISCLAIMER };
}

/** The explanation of one request: why it was rejected, or what it cost and how that was counted. */
import { type Static, Type } from 'typebox';
import { receiptFields } from './receipt.ts';

const Text = Type.String();
const TextOrNull = Type.Union([Type.String(), Type.Null()]);

export const Refused = Type.Object({
  at: Text,
  endpoint: Text,
  status: Type.Integer(),
  type: Text,
  detail: Text,
  param: TextOrNull,
  /** The values at that time: the limit, what was spent, the cap. */
  facts: Type.Union([Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])), Type.Null()]),
});

/** A receipt with what only operators and members of the space may see. */
export const ExplainedCall = Type.Object({
  ...receiptFields,
  route: TextOrNull,
  journal_entry: Type.Union([Type.Integer(), Type.Null()]),
});
export type ExplainedCall = Static<typeof ExplainedCall>;

export const Explanation = Type.Object({
  ref: Text,
  space: TextOrNull,
  key: TextOrNull,
  key_hint: TextOrNull,
  member: TextOrNull,
  refusal: Type.Union([Refused, Type.Null()]),
  call: Type.Union([ExplainedCall, Type.Null()]),
});
export type Explanation = Static<typeof Explanation>;

/** The explanation of one request: why it was rejected, or what it cost and how that was counted. */
import { type Static, Type } from 'typebox';

const Text = Type.String();
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const CountOrNull = Type.Union([Type.Integer(), Type.Null()]);

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

export const Receipt = Type.Object({
  endpoint: Text,
  model: Text,
  route: TextOrNull,
  streamed: Type.Boolean(),
  outcome: Text,
  problem: TextOrNull,
  finish_reason: TextOrNull,
  attempts: Type.Integer(),
  started_at: Text,
  first_byte_ms: CountOrNull,
  duration_ms: Type.Integer(),
  usage_source: Text,
  usage: Type.Object({
    input_tokens: CountOrNull,
    cached_input_tokens: CountOrNull,
    cache_write_tokens: CountOrNull,
    output_tokens: CountOrNull,
    reasoning_tokens: CountOrNull,
    images: CountOrNull,
  }),
  price_version: TextOrNull,
  lines: Type.Array(Type.Object({ component: Text, count: Type.Number(), price: Text, amount: Text })),
  cost: TextOrNull,
  charged_at: Text,
  month: Text,
  journal_entry: CountOrNull,
  corrections: Type.Array(Type.Object({ at: Text, cost_before: TextOrNull, cost: Text, note: Text })),
});

export const Explanation = Type.Object({
  ref: Text,
  space: TextOrNull,
  key: TextOrNull,
  key_hint: TextOrNull,
  member: TextOrNull,
  refusal: Type.Union([Refused, Type.Null()]),
  call: Type.Union([Receipt, Type.Null()]),
});
export type Explanation = Static<typeof Explanation>;

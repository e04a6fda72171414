/** The receipt of a call: `GET /v1/receipts/{request_id}`, and as part of an explanation. */
import { type Static, Type } from 'typebox';
import { DecimalString, nullable } from './schema.ts';

const Text = Type.String();
const TextOrNull = nullable(Type.String());
const CountOrNull = nullable(Type.Integer());
const Amount = Type.String({ ...DecimalString, description: 'Units.' });

const ChargeLine = Type.Object({
  component: Text,
  count: Type.Number({ description: 'Tokens, images or seconds.' }),
  price: Type.String({ ...DecimalString, description: 'Per 1,000,000 tokens, per image or per second.' }),
  amount: Amount,
});

const Correction = Type.Object({
  at: Text,
  cost_before: nullable(Amount),
  cost: Amount,
  note: Text,
});

export const ReceiptAttempt = Type.Object({
  index: Type.Integer({ minimum: 1 }),
  status: nullable(Type.Integer({ description: 'The status of the answer; null if there was none.' })),
  outcome: Type.String({ description: '`answered`, or the code of the error.' }),
  duration_ms: Type.Integer({ description: 'Until the answer began, or the attempt failed.' }),
});
export type ReceiptAttempt = Static<typeof ReceiptAttempt>;

/** The fields of a receipt for everyone who may see it. */
export const receiptFields = {
  endpoint: Text,
  model: Text,
  streamed: Type.Boolean(),
  outcome: Text,
  problem: TextOrNull,
  finish_reason: TextOrNull,
  attempts: Type.Integer(),
  attempt_log: nullable(
    Type.Array(ReceiptAttempt, { description: 'Every attempt. Null if there was at most one.' }),
  ),
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
  lines: Type.Array(ChargeLine),
  cost: nullable(
    Type.String({
      ...DecimalString,
      description: 'The sum of `lines`. Null: the price or usage is unknown.',
    }),
  ),
  charged_at: Text,
  month: Text,
  corrections: Type.Array(Correction),
};

export const ReceiptObject = Type.Object({
  id: Type.String({ description: 'The `x-request-id` of the call, or the id of a video job.' }),
  object: Type.Literal('receipt'),
  ...receiptFields,
  finish_reason: nullable(Type.Enum(['stop', 'length', 'tool_calls', 'content_filter'])),
  current_cost: nullable(
    Type.String({ ...DecimalString, description: 'The cost after all corrections. Null: unknown.' }),
  ),
});
export type ReceiptObject = Static<typeof ReceiptObject>;

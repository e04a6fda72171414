/** The receipt of a call: `GET /v1/receipts/{request_id}`, and as part of an explanation. */
import { type Static, Type } from 'typebox';
import { nullable } from './schema.ts';

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => nullable(text(description));
const countOrNull = (description: string) => nullable(Type.Integer({ description }));

const count = (description: string) => Type.Optional(Type.Integer({ description }));
const countsBy = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.Number(), { description }));

export const ReceiptUsageDetails = Type.Object(
  {
    cache_writes: countsBy(
      'Of the tokens written to the cache, those with a lifetime: `5m`, `30m`, `1h`, `12h`.',
    ),
    image_input_tokens: count('Of the prompt, tokens of images.'),
    audio_input_tokens: count('Of the prompt, tokens of audio.'),
    cached_image_input_tokens: count('Of the tokens of images, those read from the cache.'),
    cached_audio_input_tokens: count('Of the tokens of audio, those read from the cache.'),
    image_output_tokens: count('Of the answer, tokens of images.'),
    audio_output_tokens: count('Of the answer, tokens of audio.'),
    accepted_prediction_tokens: count('Of the answer, predicted tokens that were used.'),
    rejected_prediction_tokens: count('Of the answer, predicted tokens that were not used.'),
    tools: countsBy('Billable calls of tools that the provider ran, by kind.'),
    tier: Type.Optional(text('The service tier, if it is not the standard one.')),
    geo: Type.Optional(text('The region in which the call was served, if it has its own price.')),
    context_tokens: count('The length that decides about prices by length, if it is not `input_tokens`.'),
    missing: Type.Optional(
      Type.Array(Type.String(), {
        description: 'What had no price, so that the cost is unknown: components and conditions.',
      }),
    ),
    unknown: countsBy('Counts of the provider that have no meaning here, for operators only.'),
    implausible: countsBy(
      'What the provider reported, for operators only: it cannot be true, so the tokens were counted here.',
    ),
  },
  { description: 'What else was counted. Null if nothing was.' },
);
export type ReceiptUsageDetails = Static<typeof ReceiptUsageDetails>;

export const ReceiptUsage = Type.Object(
  {
    input_tokens: countOrNull('Tokens of the prompt.'),
    cached_input_tokens: countOrNull('Of these, tokens read from the prompt cache.'),
    cache_write_tokens: countOrNull('Of these, tokens written to the prompt cache.'),
    output_tokens: countOrNull('Tokens of the answer.'),
    reasoning_tokens: countOrNull('Of these, tokens of the reasoning.'),
    images: countOrNull('Created images.'),
    details: nullable(ReceiptUsageDetails),
  },
  { description: 'What was used. Null: unknown.' },
);

export const ReceiptLine = Type.Object(
  {
    component: text('What is charged, such as `input`.'),
    count: Type.Number({ description: 'How many.' }),
    price: text('The price as a decimal.'),
    amount: text('Count times price, in units.'),
  },
  { description: 'One component of the cost.' },
);
export type ReceiptLine = Static<typeof ReceiptLine>;

export const ReceiptCorrection = Type.Object(
  {
    at: text('When it was corrected.'),
    cost_before: textOrNull('The cost before, in units.'),
    cost: text('The cost after, in units.'),
    note: text('Why it was corrected.'),
  },
  { description: 'A later correction of the cost.' },
);

export const ReceiptAttempt = Type.Object(
  {
    index: Type.Integer({ minimum: 1, description: 'The number of the attempt, from 1.' }),
    status: nullable(Type.Integer({ description: 'The status of the answer; null if there was none.' })),
    outcome: text(
      '`answered`, `refused` (the provider filtered the whole answer, and another model was asked), the code of the error, or why the route was not used: `circuit_open`, `busy` (it has as many calls as it may have).',
    ),
    duration_ms: Type.Integer({ description: 'Milliseconds until the answer began, or the attempt failed.' }),
    model: Type.Optional(text('The model that was asked, if the requested one has fallbacks.')),
    input_tokens: count('Of a refused attempt: tokens of the prompt. They are not charged.'),
    output_tokens: count('Of a refused attempt: tokens of the answer. They are not charged.'),
    route: Type.Optional(text('The route, for operators only: the model and the place in its list.')),
    key: Type.Optional(
      Type.Integer({ minimum: 1, description: 'For operators only: which of the keys of the provider.' }),
    ),
  },
  { description: 'One request to a provider.' },
);
export type ReceiptAttempt = Static<typeof ReceiptAttempt>;

/** The fields of a receipt for everyone who may see it. */
export const receiptFields = {
  endpoint: text('The kind of call.'),
  model: text('The model code. If another model than the requested one answered, the one that answered.'),
  requested_model: textOrNull(
    'The name in the request, if it is an alias, or a model for which another one answered. Null otherwise.',
  ),
  batch_id: textOrNull('The batch, if it is a line of one: it is charged with its batch. Null otherwise.'),
  attribution: nullable(
    Type.Record(Type.String(), nullable(Type.String()), {
      description:
        'What its usage is reported under: `tag:<key>`, `end_user`, `session`. A null stands for a value that is reported as other. Null: nothing.',
    }),
  ),
  streamed: Type.Boolean({ description: 'Whether the answer was streamed.' }),
  outcome: text('`completed`, `partial` or `failed`.'),
  problem: textOrNull('The error code, if the call failed.'),
  finish_reason: textOrNull('Why the answer ended, as the provider put it.'),
  attempts: Type.Integer({ description: 'How many requests were sent to providers.' }),
  attempt_log: nullable(
    Type.Array(ReceiptAttempt, { description: 'Every attempt. Null if there was at most one.' }),
  ),
  started_at: text('When the call began.'),
  first_byte_ms: countOrNull('Milliseconds to the first byte of the answer.'),
  duration_ms: Type.Integer({ description: 'Milliseconds to its end.' }),
  usage_source: text('Where the usage comes from: `provider`, `estimated` by the gateway, or `none`.'),
  usage: ReceiptUsage,
  price_version: textOrNull('The version of the price sheet.'),
  lines: Type.Array(ReceiptLine, { description: 'The lines that add up to the cost.' }),
  cost: textOrNull('The sum of `lines` in units. Null: the price or usage is unknown.'),
  provisional: textOrNull(
    'What a request of unknown cost counts against units and limits until it has a price, in units. It is not charged. Null: nothing.',
  ),
  charged_at: text('When it was charged.'),
  month: text('The calendar month (KST) that it counts for.'),
  corrections: Type.Array(ReceiptCorrection, { description: 'Later corrections of the cost.' }),
};

export const ReceiptObject = Type.Object(
  {
    id: text(
      'The `x-request-id` of the call, the `request_id` of a line of a batch, or the id of a video job.',
    ),
    object: Type.Literal('receipt', { description: 'Always `receipt`.' }),
    ...receiptFields,
    finish_reason: nullable(
      Type.Enum(['stop', 'length', 'tool_calls', 'content_filter'], { description: 'Why the answer ended.' }),
    ),
    current_cost: textOrNull('The cost after all corrections. Null: unknown.'),
  },
  { description: 'What a call cost and how that was counted.' },
);
export type ReceiptObject = Static<typeof ReceiptObject>;

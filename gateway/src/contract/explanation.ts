/** The explanation of one request: why it was rejected, or what it cost and how that was counted. */
import { type Static, Type } from 'typebox';
import { nullable } from './schema.ts';

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => nullable(text(description));
const countOrNull = (description: string) => nullable(Type.Integer({ description }));

export const Refused = Type.Object(
  {
    at: text('When the request arrived.'),
    endpoint: text('The method and path.'),
    status: Type.Integer({ description: 'The HTTP status of the answer.' }),
    type: text('The error code.'),
    detail: text('What went wrong and what to do.'),
    param: textOrNull('The field, if one is at fault.'),
    facts: nullable(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description: 'The values at that time: the limit, what was spent, the cap.',
      }),
    ),
  },
  { description: 'Why the request was rejected; null if it was not.' },
);

const ReceiptUsage = Type.Object(
  {
    input_tokens: countOrNull('Tokens of the prompt.'),
    cached_input_tokens: countOrNull('Of these, tokens read from the prompt cache.'),
    cache_write_tokens: countOrNull('Of these, tokens written to the prompt cache.'),
    output_tokens: countOrNull('Tokens of the answer.'),
    reasoning_tokens: countOrNull('Of these, tokens of the reasoning.'),
    images: countOrNull('Created images.'),
  },
  { description: 'What was used. Null: unknown.' },
);

const ReceiptLine = Type.Object({
  component: text('What is charged, such as `input`.'),
  count: Type.Number({ description: 'How many.' }),
  price: text('The price as a decimal.'),
  amount: text('Count times price, in units.'),
});

const ReceiptCorrection = Type.Object({
  at: text('When it was corrected.'),
  cost_before: textOrNull('The cost before, in units.'),
  cost: text('The cost after, in units.'),
  note: text('Why it was corrected.'),
});

export const Receipt = Type.Object(
  {
    endpoint: text('The kind of call.'),
    model: text('The model code.'),
    route: textOrNull('The provider and its model name; null if none was called.'),
    streamed: Type.Boolean({ description: 'Whether the answer was streamed.' }),
    outcome: text('`completed`, `partial` or `failed`.'),
    problem: textOrNull('The error code, if the call failed.'),
    finish_reason: textOrNull('Why the answer ended, as the provider put it.'),
    attempts: Type.Integer({ description: 'How many requests were sent to providers.' }),
    started_at: text('When the call began.'),
    first_byte_ms: countOrNull('Milliseconds to the first byte of the answer.'),
    duration_ms: Type.Integer({ description: 'Milliseconds to its end.' }),
    usage_source: text('Where the usage comes from: `provider`, `estimated` by the gateway, or `none`.'),
    usage: ReceiptUsage,
    price_version: textOrNull('The version of the price sheet.'),
    lines: Type.Array(ReceiptLine, { description: 'The lines that add up to the cost.' }),
    cost: textOrNull('The charged units. Null: unknown.'),
    charged_at: text('When it was charged.'),
    month: text('The calendar month (KST) that it counts for.'),
    journal_entry: countOrNull('The entry in the journal.'),
    corrections: Type.Array(ReceiptCorrection, { description: 'Later corrections of the cost.' }),
  },
  { description: 'What the call cost; null if nothing was charged.' },
);

export const Explanation = Type.Object(
  {
    ref: text('The id of the request.'),
    space: textOrNull('The space of the key.'),
    key: textOrNull('The name of the key.'),
    key_hint: textOrNull('The end of the secret.'),
    member: textOrNull('The e-mail address of the owner of a personal key.'),
    refusal: nullable(Refused),
    call: nullable(Receipt),
  },
  { description: 'What is known about a request.' },
);
export type Explanation = Static<typeof Explanation>;

/** The explanation of one request: why it was rejected, or what it cost and how that was counted. */
import { type Static, Type } from 'typebox';
import { receiptFields } from './receipt.ts';
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
        description:
          'The values at that time: the limit, what was spent, the cap. For operators also the provider and what it said.',
      }),
    ),
  },
  { description: 'Why the request was rejected; null if it was not.' },
);

/** A receipt with what only operators and members of the space may see. */
export const ExplainedCall = Type.Object(
  {
    ...receiptFields,
    route: textOrNull('The provider and its model name, for operators only.'),
    journal_entry: countOrNull('The entry in the journal.'),
  },
  { description: 'What the call cost; null if nothing was charged.' },
);
export type ExplainedCall = Static<typeof ExplainedCall>;

export const Explanation = Type.Object(
  {
    ref: text('The id of the request.'),
    space: textOrNull('The space of the key.'),
    key: textOrNull('The name of the key.'),
    key_hint: textOrNull('The end of the secret.'),
    member: textOrNull('The e-mail address of the owner of a personal key.'),
    refusal: nullable(Refused),
    call: nullable(ExplainedCall),
  },
  { description: 'What is known about a request.' },
);
export type Explanation = Static<typeof Explanation>;

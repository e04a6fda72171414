/** The calling key: `GET /v1/key`. */
import { type Static, Type } from 'typebox';
import { DecimalString, nullable } from './schema.ts';

const KstTime = Type.String({ format: 'date-time', examples: ['2026-12-01T00:00:00+09:00'] });
const perMinute = (what: string) =>
  nullable(Type.Integer({ description: `The most ${what} per minute. Null: unlimited.` }));
const Spent = Type.String({
  ...DecimalString,
  description: 'Units spent in the calendar month (KST). Requests of unknown cost are not part of it.',
});
const Reserved = Type.String({
  ...DecimalString,
  description:
    'Units that count against `month_limit` although they are not charged: for batches that are not settled, requests of unknown cost, and calls that are being counted.',
});
const MonthLimit = nullable(
  Type.String({ ...DecimalString, description: 'Units per calendar month (KST). Null: unlimited.' }),
);

export const KeyObject = Type.Object(
  {
    object: Type.Literal('key', { description: 'Always `key`.' }),
    id: Type.String({ description: 'The id of the key.' }),
    name: Type.String({ description: 'The name of the key.' }),
    kind: Type.Enum(['personal', 'shared'], {
      description: 'Whether it belongs to one person or to the space.',
    }),
    hint: Type.String({ description: 'The secret, masked. After a rotation: the new one.' }),
    month: Type.String({ examples: ['2026-11'], description: 'The current calendar month (KST).' }),
    spent: Spent,
    reserved: Reserved,
    month_limit: MonthLimit,
    resets_at: Type.String({ ...KstTime, description: 'When the next month begins and `spent` is 0 again.' }),
    member: nullable(
      Type.Object(
        {
          email: Type.String({ description: 'The e-mail address.' }),
          spent: Spent,
          reserved: Reserved,
          month_limit: MonthLimit,
          requests_per_minute: perMinute('requests'),
          tokens_per_minute: perMinute('tokens'),
          expires_at: nullable(
            Type.String({ ...KstTime, description: 'When all their keys stop working. Null: never.' }),
          ),
        },
        {
          description:
            'The person of a personal key, with the spending and the limits of all their keys in the space together.',
        },
      ),
    ),
    models: nullable(
      Type.Array(Type.String(), {
        description:
          'The models that it may use: those that both the key and its member may. Null: all models of the space.',
      }),
    ),
    requests_per_minute: perMinute('requests'),
    tokens_per_minute: perMinute('tokens'),
    space: Type.Object(
      {
        name: Type.String({ description: 'The name of the space.' }),
        requests_per_minute: perMinute('requests'),
        tokens_per_minute: perMinute('tokens'),
      },
      { description: 'Its space, with the limits that all its keys share.' },
    ),
    expires_at: Type.String({ ...KstTime, description: 'When this secret stops working.' }),
    disabled: Type.Boolean({
      description: 'Always false: a disabled key is rejected.',
    }),
  },
  { description: 'The calling key.' },
);
export type KeyObject = Static<typeof KeyObject>;

/** Administration of units: grants, the journal, corrections and the proof of the books. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { Amount, count, fields, generatedId, Note, orNull, Time, text, timeOf, units } from './fields.ts';
import { listQuery, pageOf } from './lists.ts';

const Grant = Type.Object({
  id: text('The id of the grant.'),
  kind: Type.Enum(['promo', 'paid'], { description: 'promo units are spent first and may expire.' }),
  amount: units('How many units were granted.'),
  remaining: units('How many of them are left.'),
  expires_at: orNull(timeOf('When they expire. Null: never.')),
  note: text('What the grant is for.'),
  created_at: timeOf('When they were granted.'),
});

const JournalEntry = Type.Object({
  entry: count('The number of the entry.'),
  at: timeOf('When it was written.'),
  kind: text('What moved the units, such as grant, charge or invoice.'),
  ref: text('What it belongs to, such as the id of a request.'),
  issued: units('Units issued to spaces (negative: given out).'),
  promo: units('The change of promo units held.'),
  paid: units('The change of paid units held.'),
  overage: units('The change of overage (negative: owed more).'),
  spent: units('Units spent.'),
  expired: units('Units that expired.'),
  invoiced: units('Overage that was invoiced.'),
  note: text('The reason, if one was given.'),
});

export const unitEndpoints = {
  'grants.list': {
    ...operation('GET', `${IN_SPACE}/grants`, 'admin'),
    summary: 'List grants and what remains of each.',
    query: listQuery({}),
    response: pageOf(Grant, 'The grants, newest first.'),
    csv: true,
    problems: [],
  },
  'grants.add': {
    ...operation('POST', `${IN_SPACE}/grants`, 'operator'),
    summary: 'Grant units to a space.',
    request: fields({
      amount: Amount,
      kind: Type.Enum(['promo', 'paid'], { description: 'promo units are spent first and may expire.' }),
      expires: Type.Optional(Time),
      note: Note,
    }),
    idempotent: true,
    response: Type.Object({
      id: text('The id of the grant.'),
      space: text('The name of the space.'),
      kind: Type.Enum(['promo', 'paid'], { description: 'The kind of the units.' }),
      amount: units('How many units were granted.'),
      expires_at: orNull(timeOf('When they expire. Null: never.')),
    }),
    problems: [],
  },
  'ledger.list': {
    ...operation('GET', `${IN_SPACE}/ledger`, 'admin'),
    summary: 'List the journal entries of a space, newest first.',
    query: listQuery({}),
    response: pageOf(JournalEntry, 'The entries; the accounts of each sum to zero.'),
    csv: true,
    problems: [],
  },
  'ledger.correct': {
    ...operation('POST', `${ADMIN_BASE}/corrections`, 'operator'),
    summary: 'Set what a call should have cost; the difference is credited or charged.',
    request: fields({ call: generatedId('req'), amount: Amount, note: Note }),
    idempotent: true,
    response: Type.Object({
      call: text('The id of the request.'),
      cost_before: orNull(units('What it cost before. Null: unknown.')),
      cost: units('What it costs now.'),
    }),
    problems: [],
  },
  'ledger.verify': {
    ...operation('GET', `${ADMIN_BASE}/ledger/verify`, 'operator'),
    summary: 'Prove balances, charges and totals of all spaces from the journal.',
    response: Type.Object({
      spaces: Type.Array(
        Type.Object({
          space: text('The name of the space.'),
          entries: count('How many journal entries it has.'),
          given: units('All units granted.'),
          promo: units('Promo units held.'),
          paid: units('Paid units held.'),
          chargedFromHeld: units('Units charged from those held.'),
          expired: units('Units that expired.'),
          overage: units('Overage that is owed.'),
          invoiced: units('Overage that was invoiced.'),
          spent: units('All units spent.'),
        }),
        { description: 'The books of every space.' },
      ),
      disagreements: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description: 'Every place where two figures that must be equal differ. Empty: the books agree.',
      }),
    }),
    problems: [],
  },
} as const satisfies Record<string, AdminEndpoint>;

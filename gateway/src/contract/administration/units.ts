/** Administration of units: grants, the journal, corrections and the proof of the books. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import {
  Amount,
  count,
  fields,
  generatedId,
  MonthText,
  Note,
  orNull,
  Time,
  text,
  timeOf,
  units,
} from './fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { entryKinds } from './words.ts';

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

const StatementBalance = Type.Object({
  promo: units('Promo units held.'),
  paid: units('Paid units held.'),
  total: units('All units held.'),
  overage: units('What the space owes.'),
});

const Statement = Type.Object({
  space: text('The name of the space.'),
  month: text('The calendar month (KST).'),
  period_start: timeOf('When the month starts.'),
  period_end: timeOf('When the next month starts.'),
  opening: Type.Object(StatementBalance.properties, {
    description: 'The balance at the start of the month.',
  }),
  lines: Type.Array(
    Type.Object({
      kind: Type.Enum(entryKinds, { description: 'The kind of movement.' }),
      source: orNull(text('What was charged: calls, batches, videos, or opening. Null: not a charge.')),
      entries: count('How many journal entries it sums up.'),
      amount: units('What was given, charged, expired or invoiced.'),
      promo: units('The change of promo units.'),
      paid: units('The change of paid units.'),
      overage: units('The change of what is owed.'),
    }),
    { description: 'Every kind of movement; opening plus all lines is closing.' },
  ),
  closing: Type.Object(StatementBalance.properties, {
    description: 'The balance at the end of the month; of the current month, the balance now.',
  }),
  charged: units('The sum of charges and corrections.'),
  usage: Type.Object(
    {
      cost: units('What usage reports say of the month.'),
      corrected_elsewhere: units('Corrections of calls of this month that were made in a later month.'),
      corrections_of_other_months: units('Corrections made in this month, of calls of earlier months.'),
    },
    { description: 'How the charges agree with the usage reports.' },
  ),
});

export const unitEndpoints = {
  'invoices.list': {
    ...operation('GET', `${IN_SPACE}/invoices`, 'admin'),
    summary: 'List the invoices of overage, newest first.',
    query: listQuery({ from: Type.Optional(Time), until: Type.Optional(Time) }),
    response: pageOf(
      Type.Object({
        id: text('The id of the invoice.'),
        at: timeOf('When it was invoiced.'),
        units: units('The units that were invoiced.'),
        note: text('The number in your own books, if one was given.'),
        entry: count('The number of its journal entry.'),
      }),
      'The invoices, newest first.',
    ),
    csv: true,
    problems: [],
  },
  'statements.get': {
    ...operation('GET', `${IN_SPACE}/statement`, 'admin'),
    summary: 'Get the statement of a month: opening balance, every kind of movement, closing balance.',
    query: fields({ month: MonthText }),
    response: Statement,
    problems: [],
  },
  'grants.list': {
    ...operation('GET', `${IN_SPACE}/grants`, 'admin'),
    summary: 'List grants and what remains of each.',
    query: listQuery({
      kind: Type.Optional(Type.Enum(['promo', 'paid'], { description: 'Only units of this kind.' })),
      expired: Type.Optional(Type.Boolean({ description: 'True: only expired grants. False: only others.' })),
    }),
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
    query: listQuery({
      kind: Type.Optional(Type.Enum(entryKinds, { description: 'Only entries of this kind.' })),
      from: Type.Optional(Time),
      until: Type.Optional(Time),
    }),
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
          charged_from_held: units('Units charged from those held.'),
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

/** Administration of units: grants, the journal, corrections and the proof of the books. */
import { Type } from 'typebox';
import { ADMIN_BASE, type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import {
  Amount,
  count,
  generatedId,
  Label,
  Note,
  orNull,
  request,
  shape,
  Time,
  text,
  timeOf,
  units,
  withUse,
  yes,
} from './fields.ts';
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { grantKinds } from './words.ts';

const UnitKind = Type.Enum(grantKinds, { description: 'promo units are spent first and may expire.' });

export const AdminGrant = shape('Units that were granted, and what remains of them.', {
  id: text('The id of the grant.'),
  kind: UnitKind,
  amount: units('How many units were granted.'),
  remaining: units('How many of them are left.'),
  expires_at: orNull(timeOf('When they expire. Null: never.')),
  note: text('What the grant is for.'),
  created_at: timeOf('When they were granted.'),
});

export const GrantPage = pageOf(AdminGrant, 'The grants, newest first.');

export const AddGrantRequest = request('Units for a space.', {
  amount: withUse(Amount, 'How many units, above 0.'),
  kind: UnitKind,
  expires: Type.Optional(withUse(Time, 'When promo units expire. Default: never.')),
  note: Note,
});

export const AddedGrant = shape('Units that were granted.', {
  id: text('The id of the grant.'),
  space: text('The name of the space.'),
  kind: UnitKind,
  amount: units('How many units were granted.'),
  expires_at: orNull(timeOf('When they expire. Null: never.')),
});

export const JournalEntry = shape('An entry of the journal. Its accounts sum to zero.', {
  entry: count('The number of the entry.'),
  at: timeOf('When it was written.'),
  kind: text('What moved the units, such as grant, charge, payment or invoice.'),
  ref: text('What it belongs to, such as the id of a request.'),
  issued: units('Units issued to spaces (negative: given out).'),
  promo: units('The change of promo units held.'),
  paid: units('The change of paid units held.'),
  overage: units('The change of overage (negative: owed more).'),
  spent: units('Units spent.'),
  expired: units('Units that expired.'),
  invoiced: units('Overage that was invoiced.'),
  due: units('Charges that are not paid from units yet (negative: charged, positive: paid).'),
  note: text('The reason, if one was given.'),
});

export const JournalPage = pageOf(
  JournalEntry,
  'The entries, newest first; the accounts of each sum to zero.',
);

export const AdminInvoice = shape('An invoice of overage.', {
  id: text('The id of the invoice.'),
  at: timeOf('When it was invoiced.'),
  units: units('The units that were invoiced.'),
  note: text('The number in your own books, if one was given.'),
  entry: count('The number of its journal entry.'),
});

export const InvoicePage = pageOf(AdminInvoice, 'The invoices, newest first.');

export const CorrectionRequest = request('What a call should have cost.', {
  call: withUse(generatedId('req'), 'The id of the request to correct.'),
  amount: withUse(Amount, 'What it should have cost, 0 or more.'),
  note: Note,
});

export const CorrectedCall = shape('A call whose cost was corrected.', {
  call: text('The id of the request.'),
  cost_before: orNull(units('What it cost before. Null: unknown.')),
  cost: units('What it costs now.'),
});

export const ForgiveRequest = request('Requests without a price that cost nothing from now on.', {
  ref: Type.Optional(
    withUse(Label, 'The id of one call or video. Default: all that count against units and limits.'),
  ),
  model: Type.Optional(withUse(Label, 'Only requests of this model.')),
  note: Note,
});

export const ForgivenRequests = shape('What was forgiven.', {
  space: text('The name of the space.'),
  requests: count('How many requests were forgiven.'),
  units: units('How many units no longer count against its units and limits.'),
  complete: yes('Whether that were all. False: forgive again.'),
});

export const VerifiedBooks = shape('The books of all spaces, proven from the journal.', {
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
      due: units('Charged, and not paid from units yet.'),
      spent: units('All units spent.'),
    }),
    { description: 'The books of every space.' },
  ),
  disagreements: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'Every place where two figures that must be equal differ. Empty: the books agree.',
  }),
});

export const unitEndpoints = {
  'invoices.list': {
    ...operation('GET', `${IN_SPACE}/invoices`, 'admin'),
    summary: 'List the invoices of overage, newest first.',
    query: listQuery(filterFields('invoices.list')),
    response: InvoicePage,
    csv: true,
  },
  'grants.list': {
    ...operation('GET', `${IN_SPACE}/grants`, 'admin'),
    summary: 'List grants and what remains of each.',
    query: listQuery({
      ...filterFields('grants.list'),
      expired: Type.Optional(Type.Boolean({ description: 'True: only expired grants. False: only others.' })),
    }),
    response: GrantPage,
    csv: true,
  },
  'grants.add': {
    ...operation('POST', `${IN_SPACE}/grants`, 'operator'),
    summary: 'Grant units to a space.',
    request: AddGrantRequest,
    response: AddedGrant,
  },
  'ledger.list': {
    ...operation('GET', `${IN_SPACE}/ledger`, 'admin'),
    summary: 'List the journal entries of a space, newest first.',
    query: listQuery(filterFields('ledger.list')),
    response: JournalPage,
    csv: true,
  },
  'ledger.correct': {
    ...operation('POST', `${ADMIN_BASE}/corrections`, 'operator'),
    summary: 'Correct what a call cost.',
    request: CorrectionRequest,
    response: CorrectedCall,
    problems: ['not_found'],
  },
  'ledger.forgive': {
    ...operation('POST', `${IN_SPACE}/forgive`, 'operator'),
    summary: 'Forgive requests of a space that have no price.',
    request: ForgiveRequest,
    response: ForgivenRequests,
    problems: ['not_found'],
  },
  'ledger.verify': {
    ...operation('GET', `${ADMIN_BASE}/ledger/verify`, 'operator'),
    summary: 'Verify the books of all spaces.',
    response: VerifiedBooks,
  },
} as const satisfies Record<string, AdminEndpoint>;

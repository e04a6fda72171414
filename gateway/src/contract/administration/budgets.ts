/** Administration of budgets: what a part of a space's calls may cost in a window, and requests for more. */
import { Type } from 'typebox';
import { periods } from '../../kernel/period.ts';
import { TAGS_CHARACTERS_MAX } from '../tags.ts';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import {
  Amount,
  count,
  Email,
  KeyName,
  Label,
  orNull,
  request,
  Switch,
  shape,
  text,
  timeOf,
  units,
  withUse,
} from './fields.ts';
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';
import { budgetDecisions, budgetRequestStates } from './words.ts';

const VALUE = '^[^\\p{C}]{1,256}$';

const Window = Type.Enum([...periods], {
  description: 'day, week (from Monday), month (all in KST) or lifetime, which never ends.',
});

const Value = Type.String({ pattern: VALUE, description: '1 to 256 characters on one line.' });

const Per = Type.String({
  pattern: '^(?:key|member|model|end_user|session|tag:[A-Za-z0-9_][A-Za-z0-9_./-]{0,63})$',
  description: 'key, member, model, end_user, session, or tag: and the key of a tag, such as tag:customer.',
  examples: ['end_user'],
});

const TagPairs = Type.String({
  maxLength: TAGS_CHARACTERS_MAX,
  description: 'Tags as key=value, separated by commas, such as team=search,feature=chat.',
  examples: ['team=search'],
});

const given = {
  id: text('The id of the budget.'),
  name: text('The name of the budget.'),
  key: orNull(text('The name of the key whose calls it counts. Null: of every key.')),
  member: orNull(text('The e-mail address of the member whose calls it counts. Null: of every member.')),
  model: orNull(text('The model whose calls it counts. Null: of every model.')),
  end_user: orNull(text('The end user whose calls it counts. Null: of every end user, and of none.')),
  session: orNull(text('The session whose calls it counts. Null: of every session, and of none.')),
  tags: orNull(
    text('The tags that a call must have to be counted, as key=value, separated by commas. Null: none.'),
  ),
  per: orNull(text('Each value of this has a budget of its own. Null: there is one for all.')),
  window: Window,
  amount: units('What it is in each window.'),
  hard: Type.Boolean({
    description: 'True: a call is refused if what it may cost does not fit. False: it only warns.',
  }),
  created_at: timeOf('When it was set.'),
};

export const AdminBudget = shape('A budget, and how much of it is used now.', {
  ...given,
  spent: units('What is spent in this window. With values of its own: by all of them.'),
  reserved: units('What batches and videos may still cost.'),
  raised: units('What was added for this window.'),
  requests: count('How many requests it counted.'),
  values: count(
    'How many values have spent something, each of its own budget; 1 or 0 if there is one for all.',
  ),
  resets_at: orNull(timeOf('When what is spent starts again. Null: never.')),
  spent_at_end: orNull(
    units('What will be spent at the end of the window at this pace. Null: too early, or not known.'),
  ),
  used_up_at: orNull(timeOf('When it will be used up at this pace. Null: not in this window, or not known.')),
});

export const BudgetList = shape('The budgets of a space.', {
  data: Type.Array(AdminBudget, { description: 'The budgets, ordered by name.' }),
  next_cursor: Type.Null({ description: 'Always null: the list is complete.' }),
});

export const BudgetValue = shape('What one value has spent of its own budget.', {
  value: orNull(
    text(
      'The value: of keys the name, of members the e-mail address. Null: values that are too long to be kept.',
    ),
  ),
  spent: units('What is spent in this window.'),
  amount: units('What it may spend in this window, with what was added.'),
  requests: count('How many requests it counted.'),
});

export const BudgetValuePage = pageOf(BudgetValue, 'The values, those first that have spent most.');

export const AddBudgetRequest = request(
  'A new budget. What is left out of key, member, model, end_user, session and tags counts whatever it is.',
  {
    name: withUse(KeyName, 'Refusals show it.'),
    amount: withUse(Amount, 'The units of each window.'),
    window: Window,
    hard: Type.Optional(
      withUse(Switch, 'True: calls that do not fit are refused. Default: false, it only warns.'),
    ),
    key: Type.Optional(withUse(KeyName, 'The name of a key.')),
    member: Type.Optional(withUse(Email, 'Of a member: their keys together.')),
    model: Type.Optional(withUse(Value, 'The code of a model.')),
    end_user: Type.Optional(withUse(Value, 'The end user that calls name.')),
    session: Type.Optional(withUse(Value, 'The session that calls name.')),
    tags: Type.Optional(withUse(TagPairs, 'A call must have all of them.')),
    per: Type.Optional(withUse(Per, 'Each value has a budget of its own. Default: one for all.')),
  },
);

export const ChangeBudgetRequest = request('What changes; what is left out stays as it is.', {
  new_name: Type.Optional(withUse(KeyName, 'Another name.')),
  amount: Type.Optional(withUse(Amount, 'The units of each window, also of this one.')),
  hard: Type.Optional(withUse(Switch, 'True: calls that do not fit are refused.')),
});

export const RemovedBudget = shape('A budget that was removed.', {
  ...given,
  removed: Type.Literal(true, { description: 'Always true.' }),
});

const asked = {
  id: text('The id of the request.'),
  budget: text('The name of the budget.'),
  value: orNull(text('The value that it is for. Null: the budget is for all.')),
  amount: units('How much more is asked for.'),
  note: orNull(text('What it is for. Null: nothing was said.')),
  asked_by: text('The e-mail address of who asked.'),
  state: Type.Enum([...budgetRequestStates], {
    description: 'pending, approved_once (for the window), approved (for good) or declined.',
  }),
  created_at: timeOf('When it was asked for.'),
  decided_by: orNull(text('Who decided. Null: nobody yet.')),
  decided_at: orNull(timeOf('When it was decided. Null: not yet.')),
};

export const AdminBudgetRequest = shape('A request for more of a budget.', asked);

export const BudgetRequestPage = pageOf(AdminBudgetRequest, 'The requests, the newest first.');

export const AskBudgetRequest = request('A request for more of a budget, in its present window.', {
  amount: withUse(Amount, 'How many units more.'),
  value: Type.Optional(withUse(Value, 'Of a budget for each value: which one, as the refusal names it.')),
  note: Type.Optional(withUse(Label, 'What it is for.')),
});

export const DecideBudgetRequest = request('A decision.', {
  decision: Type.Enum([...budgetDecisions], {
    description:
      'once: the amount is added in the present window. always: the budget is raised for good. decline: nothing changes.',
  }),
  amount: Type.Optional(withUse(Amount, 'Other than what was asked for.')),
});

const all = `${IN_SPACE}/budgets` as const;
const one = `${all}/{budget}` as const;

export const budgetEndpoints = {
  'budgets.list': {
    ...operation('GET', all, 'admin'),
    summary: 'List the budgets of a space and how much of them is used.',
    response: BudgetList,
  },
  'budgets.get': {
    ...operation('GET', one, 'admin'),
    summary: 'Get a budget and how much of it is used.',
    response: AdminBudget,
  },
  'budgets.values': {
    ...operation('GET', `${one}/values`, 'admin'),
    summary: 'List what each value has spent of its budget.',
    query: listQuery({}),
    response: BudgetValuePage,
  },
  'budgets.add': {
    ...operation('POST', all, 'admin'),
    summary: 'Add a budget to a space.',
    request: AddBudgetRequest,
    response: AdminBudget,
    problems: ['conflict'],
  },
  'budgets.change': {
    ...operation('PUT', one, 'admin'),
    summary: 'Change a budget.',
    request: ChangeBudgetRequest,
    response: AdminBudget,
    problems: ['conflict'],
  },
  'budgets.remove': {
    ...operation('DELETE', one, 'admin'),
    summary: 'Remove a budget.',
    response: RemovedBudget,
  },
  'budgets.ask': {
    ...operation('POST', `${one}/requests`, 'member'),
    summary: 'Ask for more of a budget.',
    request: AskBudgetRequest,
    response: AdminBudgetRequest,
    problems: ['conflict'],
  },
  'budgetRequests.list': {
    ...operation('GET', `${IN_SPACE}/budget-requests`, 'member'),
    summary: 'List requests for more of budgets.',
    query: listQuery(filterFields('budgetRequests.list')),
    response: BudgetRequestPage,
  },
  'budgetRequests.decide': {
    ...operation('POST', `${IN_SPACE}/budget-requests/{budget_request}/decision`, 'admin'),
    summary: 'Approve or decline a request for more of a budget.',
    request: DecideBudgetRequest,
    response: AdminBudgetRequest,
    problems: ['conflict'],
  },
} as const satisfies Record<string, AdminEndpoint>;

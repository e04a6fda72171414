/** `budgets`: what a part of a space's calls may cost in a window, and requests for more. */
import { budgetDecisions } from '../../contract/administration/words.ts';
import { periods } from '../../kernel/period.ts';
import { argument, flag, group, option } from '../command.ts';
import { oneOf, onOff } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

const budget = argument('<budget>', 'the name of the budget');
const noBudgets = 'No budgets yet. Add one with "tollgate budgets add NAME --amount UNITS --window month".';

const list = listCommand('budgets.list', {
  help: 'list the budgets of a space and how much of them is used',
  examples: ['tollgate budgets list --space acme'],
  options: { space },
  columns: ['name', 'counts', 'window', 'amount', 'spent', 'reserved', 'hard', 'used_up_at', 'resets_at'],
  computed: { counts: countedBy },
  empty: noBudgets,
  whole: true,
});

const get = adminCommand('budgets.get', {
  help: 'show a budget, how much of it is used, and when it will be used up at this pace',
  examples: ['tollgate budgets get search'],
  arguments: { budget },
  options: { space },
});

const values = listCommand('budgets.values', {
  help: 'list what each value has spent of its own budget',
  examples: ['tollgate budgets values each-user'],
  arguments: { budget },
  options: { space },
  columns: ['value', 'spent', 'amount', 'requests'],
  empty: 'Nothing is spent in this window.',
});

const amount = option('<units>', 'the units of each window', { required: true });

const add = adminCommand('budgets.add', {
  help: 'add a budget to a space; what is not chosen counts whatever it is',
  examples: [
    'tollgate budgets add search --amount 500 --window month --tags team=search --hard',
    'tollgate budgets add each-user --amount 1 --window day --per end_user --hard',
    'tollgate budgets add each-session --amount 20 --window lifetime --per session --hard',
  ],
  arguments: { name: argument('<name>', 'its name, which refusals show') },
  options: {
    space,
    amount,
    window: option('<window>', periods.join(', '), { read: oneOf(periods), required: true }),
    hard: flag('refuse calls that do not fit; otherwise it only warns'),
    key: option('<name>', 'calls of this key'),
    member: option('<email>', 'calls of the keys of this member'),
    model: option('<code>', 'calls of this model'),
    endUser: option('<id>', 'calls that name this end user'),
    session: option('<id>', 'calls of this session'),
    tags: option('<tags>', 'calls that have these tags, such as team=search,feature=chat'),
    per: option('<dimension>', 'each value has its own: key, member, model, end_user, session or tag:KEY'),
  },
});

const change = adminCommand('budgets.change', {
  help: 'change the name or the amount of a budget, or whether it refuses',
  examples: ['tollgate budgets change search --amount 800', 'tollgate budgets change search --hard on'],
  arguments: { budget },
  options: {
    space,
    newName: option('<name>', 'another name'),
    amount: option('<units>', 'the units of each window, also of this one'),
    hard: option('<on|off>', 'whether calls that do not fit are refused', { read: onOff }),
  },
  input: ({ newName, ...rest }) => ({ ...rest, new_name: newName }),
});

const remove = adminCommand('budgets.remove', {
  help: 'remove a budget',
  examples: ['tollgate budgets remove search'],
  arguments: { budget },
  options: { space },
});

const ask = adminCommand('budgets.ask', {
  name: 'request',
  help: 'ask an administrator for more of a budget that has refused a call',
  examples: ["tollgate budgets request search --units 50 --note 'the index is rebuilt'"],
  arguments: { budget },
  options: {
    space,
    units: option('<units>', 'how many more', { required: true }),
    value: option('<value>', 'of a budget for each value: which one, as the refusal names it'),
    note: option('<text>', 'what it is for'),
  },
  input: ({ units, ...rest }) => ({ ...rest, amount: units }),
});

const requests = listCommand('budgetRequests.list', {
  name: 'requests',
  help: 'list requests for more of budgets: an administrator all, a member their own',
  examples: ['tollgate budgets requests --state pending'],
  options: { space },
  columns: ['id', 'budget', 'value', 'amount', 'asked_by', 'note', 'state', 'created_at'],
  empty: 'No requests.',
});

const decide = adminCommand('budgetRequests.decide', {
  help: 'approve a request for more, for this window (once) or for good (always), or decline it',
  examples: ['tollgate budgets decide breq_01k9x3v7q2m5n8r4t6w0y1z2a3 once'],
  arguments: {
    budget_request: argument('<id>', 'the id of the request'),
    decision: argument('<decision>', budgetDecisions.join(', '), oneOf(budgetDecisions)),
  },
  options: { space, amount: option('<units>', 'other than what was asked for') },
});

export const budgetCommands = group({
  name: 'budgets',
  help: 'manage what parts of a space may cost in a day, week or month, and requests for more',
  commands: [list, get, values, add, change, remove, ask, requests, decide],
});

/** What it counts, in a few words. */
function countedBy(item: {
  key: string | null;
  member: string | null;
  model: string | null;
  end_user: string | null;
  session: string | null;
  tags: string | null;
  per: string | null;
}): string {
  const { key, member, model, end_user: endUser, session, tags, per } = item;
  const parts = { key, member, model, 'end user': endUser, session };
  const chosen = Object.entries(parts).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${value}`],
  );
  const all = [...chosen, ...(tags === null ? [] : [tags])];
  const what = all.length === 0 ? 'everything' : all.join(', ');
  return per === null ? what : `${what}, for each ${per}`;
}

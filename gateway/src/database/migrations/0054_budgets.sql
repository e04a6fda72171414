-- expand
-- locks: calls, left_calls, reserves, batch_lines and video_jobs, for a moment
-- takes: a moment
-- Budgets: what a part of a space's calls may cost in a window. A program of the previous version works on: it knows no
-- budgets, and its calls count in none.

create table budgets (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  name text not null,
  -- What it counts; null: whatever that is.
  key_id text collate "C" references keys (id),
  member_id text collate "C" references members (id),
  model text,
  end_user text,
  session text,
  tags jsonb not null default '{}',
  -- Each value of this has a budget of its own: a dimension, `key`, `member` or `model`. Null: there is one for all.
  per text,
  -- day, week, month or lifetime.
  period text not null,
  amount numeric(38, 12) not null check (amount > 0),
  -- Whether calls that do not fit are refused. Otherwise it only warns.
  hard boolean not null,
  created_at timestamptz not null,
  removed_at timestamptz
);
create unique index budgets_by_name on budgets (space_id, name) where removed_at is null;
create trigger budgets_changed before insert or delete or update on budgets
  for each statement execute function access_changed();

-- What is counted in a window of a budget, for each value that has its own. Each writer has rows of its own, so that none waits
-- for another. Calls without a price count for what they provisionally cost.
create table budget_parts (
  budget_id text collate "C" not null,
  -- The month, or the first day of a day or a week; empty: all time.
  starts text collate "C" not null,
  -- Follows from the value; empty: it has no values of its own.
  value_id text collate "C" not null,
  writer integer not null default 0,
  space_id text collate "C" not null,
  value text,
  requests bigint not null,
  spent numeric(38, 12) not null,
  primary key (budget_id, starts, value_id, writer)
);
create index budget_parts_by_writer on budget_parts (writer) where writer <> 0;
create index budget_parts_by_start on budget_parts (starts) where starts <> '';

-- What was added to a budget for one window.
create table budget_raises (
  budget_id text collate "C" not null references budgets (id),
  starts text collate "C" not null,
  value_id text collate "C" not null,
  amount numeric(38, 12) not null check (amount > 0),
  primary key (budget_id, starts, value_id)
);
create trigger budget_raises_changed before insert or delete or update on budget_raises
  for each statement execute function access_changed();

-- Somebody who was refused asks for more.
create table budget_requests (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  budget_id text collate "C" not null references budgets (id),
  -- The window and the value that it is for.
  starts text collate "C" not null,
  value_id text collate "C" not null,
  value text,
  amount numeric(38, 12) not null check (amount > 0),
  note text,
  -- The e-mail address of who asked.
  asked_by text not null,
  created_at timestamptz not null,
  -- pending, approved_once, approved or declined.
  state text not null,
  decided_by text,
  decided_at timestamptz
);
create index budget_requests_by_space on budget_requests (space_id, id);
create unique index budget_requests_pending on budget_requests (budget_id, starts, value_id, asked_by) where state = 'pending';

-- The budgets that a call counts in: of each the id, the id of the value, the value, and the window.
alter table calls add column budgets json;
-- Those of a call that is not charged yet, and what work may cost in each: by the id of the budget, with the value if it has
-- values of its own.
alter table left_calls add column budgets text[];
alter table reserves add column budgets json;
-- As of calls, with the kind of window in place of the window, which is that of the charge.
alter table batch_lines add column budgets text;
alter table video_jobs add column budgets text;

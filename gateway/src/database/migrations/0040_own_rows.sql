-- contract
-- locks: journal, month_totals and day_totals, until it is done: it checks the entries of the journal
-- takes: a second per million entries of the journal
-- Processes charge calls without a row in common. Each writes rows of its own, marked with the number of their writer:
-- totals, and what a space owes. Whoever reads adds them up; units are taken from grants later, by one process at a time.
-- A program of the previous version works on: it charges calls as writer 0, and reads everything. It cannot settle batches
-- and videos or correct calls, and leaves these to the new version.

-- A process that uses the database, for as long as it renews its lease.
create table processes (
  id text collate "C" primary key,
  host text not null,
  pid integer not null,
  version text not null,
  roles text not null,
  -- Whether it writes calls to its own disk while the database does not answer.
  journal boolean not null,
  started_at timestamptz not null,
  lease_until timestamptz not null,
  -- It stopped, or its lease ran out. Then others finish what it left.
  ended_at timestamptz
);

-- A process has several writers: if a commit of one hangs, the rows of the others are free. Numbers are never used again.
create table writers (
  id integer generated always as identity primary key,
  process_id text collate "C" not null
);
create index writers_by_process on writers (process_id);

-- What calls cost, added up since the writer began, and the newest charge among them. Only the writer changes its rows.
create table dues (
  space_id text collate "C" not null,
  month text collate "C" not null,
  writer integer not null,
  amount numeric(38, 12) not null,
  entry_id bigint not null,
  primary key (space_id, month, writer)
);

-- How much of that is paid, up to which charge. Only who holds the account of the space changes its rows.
create table settled_dues (
  space_id text collate "C" not null,
  month text collate "C" not null,
  writer integer not null,
  amount numeric(38, 12) not null,
  entry_id bigint not null,
  primary key (space_id, month, writer)
);
-- To find what a writer that ended left.
create index dues_by_writer on dues (writer);

-- `due` is what was charged and is not paid yet. A charge names its writer; a payment names the newest charge of each
-- writer that it pays for.
alter table journal
  add column due numeric(38, 12) not null default 0,
  add column writer integer,
  add column due_writers integer[],
  add column due_through bigint[];

-- A constraint needs it before functions are applied; its text is that of functions/entry_fits.sql.
create or replace function entry_fits(
  kind text, issued numeric, promo numeric, paid numeric, overage numeric, due numeric, spent numeric, expired numeric,
  invoiced numeric
) returns boolean language plpgsql immutable as $$
begin
  return case kind
    when 'grant' then issued < 0 and promo >= 0 and paid >= 0
      and overage = 0 and due = 0 and spent = 0 and expired = 0 and invoiced = 0
    when 'charge' then spent > 0 and promo <= 0 and paid <= 0 and overage <= 0 and due <= 0
      and issued = 0 and expired = 0 and invoiced = 0
    when 'payment' then due > 0 and promo <= 0 and paid <= 0 and overage <= 0
      and issued = 0 and spent = 0 and expired = 0 and invoiced = 0
    when 'correction' then spent <> 0 and issued = 0 and due = 0 and expired = 0 and invoiced = 0
    when 'expiry' then expired > 0 and promo < 0
      and issued = 0 and paid = 0 and overage = 0 and due = 0 and spent = 0 and invoiced = 0
    when 'invoice' then invoiced < 0 and overage > 0
      and issued = 0 and promo = 0 and paid = 0 and due = 0 and spent = 0 and expired = 0
    else false end;
end $$;
alter table journal
  drop constraint journal_balances,
  drop constraint journal_kinds,
  add constraint journal_balances check (issued + promo + paid + overage + due + spent + expired + invoiced = 0),
  add constraint journal_kinds check (entry_fits(kind, issued, promo, paid, overage, due, spent, expired, invoiced));
drop function moves_fit;
drop index journal_except_charges;
create index journal_by_hand on journal (space_id, at, id) where kind not in ('charge', 'payment');

alter table month_totals rename to month_parts;
alter table month_parts
  add column writer integer not null default 0,
  drop constraint month_totals_pkey,
  add constraint month_parts_pkey primary key (space_id, month, key_id, model, writer);
alter index month_totals_by_key rename to month_parts_by_key;
-- A price that is written later takes away in a row of nobody what a writer added.
drop index month_totals_provisional;
create index month_parts_provisional on month_parts (space_id, key_id) where provisional <> 0;
create index month_parts_by_writer on month_parts (writer) where writer <> 0;
create view month_totals as
  select space_id, month, key_id, model, sum(requests)::bigint as requests, sum(unpriced)::bigint as unpriced,
    sum(cost) as cost, max(last_at) as last_at, sum(provisional) as provisional
  from month_parts group by space_id, month, key_id, model;

alter table day_totals rename to day_parts;
alter table day_parts
  add column writer integer not null default 0,
  drop constraint day_totals_pkey,
  add constraint day_parts_pkey primary key (space_id, day, model, writer);
create index day_parts_by_writer on day_parts (writer) where writer <> 0;
create view day_totals as
  select space_id, day, model, sum(requests)::bigint as requests, sum(unpriced)::bigint as unpriced, sum(cost) as cost
  from day_parts group by space_id, day, model;

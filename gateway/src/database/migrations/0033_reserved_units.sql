-- expand
-- locks: spaces, calls, month_totals, video_jobs and files, each for a moment; refusals while an index of them is made
-- takes: a moment
-- Units that count as spent before they are charged. A process of the previous version does not count them, and reserves
-- nothing for the batches that it takes.

alter table spaces
  -- Whether its calls may ask for something that has no price.
  add column unpriced_allowed boolean not null default false;

-- What an unpriced call counts for until it has a price: its usage at the standard price. Never charged.
alter table calls add column provisional numeric(38, 12);
alter table video_jobs add column provisional numeric(38, 12);
alter table month_totals add column provisional numeric(38, 12) not null default 0;
create index month_totals_provisional on month_totals (space_id, key_id) where provisional > 0;

-- What work that is not charged yet may cost. It counts as spent until the work is charged.
create table reserves (
  space_id text collate "C" not null references spaces (id),
  -- The id of a batch.
  ref text collate "C" not null,
  key_id text collate "C" not null,
  member_id text collate "C",
  units numeric(38, 12) not null check (units >= 0),
  -- Whether the work stops when it has cost as much.
  is_cap boolean not null,
  primary key (space_id, ref)
);

-- What the lines of a batch file ask for, to estimate what they cost. Null: uploaded before there were estimates.
alter table files add column estimate json;

-- Calls whose callers left before they were counted. If their process dies, another one charges the estimate in `row`.
create table left_calls (
  space_id text collate "C" not null references spaces (id),
  id text collate "C" not null,
  key_id text collate "C" not null,
  member_id text collate "C",
  -- The record as `record_calls` takes it, with estimated usage.
  row text not null,
  -- What it costs at most.
  units numeric(38, 12) not null check (units >= 0),
  -- Who counts it, and until when that process is not taken for dead.
  process text collate "C" not null,
  lease_until timestamptz not null,
  primary key (space_id, id)
);

create index refusals_price_missing on refusals (at) where code = 'price_missing';

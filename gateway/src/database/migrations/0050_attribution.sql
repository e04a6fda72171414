-- expand
-- locks: calls, keys, members, batches, batch_lines, line_receipts and video_jobs, for a moment
-- takes: a moment
-- What calls are attributed to: tags, the end user, the session. A call names its attribution, whose values are stored once
-- for each writer, and totals are kept beside those of all calls. A program of the previous version works on: what it records
-- is attributed to nothing.

-- The values of an attribution, by dimension; null: a value that is not kept. The id follows from the values. Each writer has
-- rows of its own, so that none waits for another.
create table attributions (
  space_id text collate "C" not null,
  id text collate "C" not null,
  writer integer not null default 0,
  dimensions jsonb not null,
  primary key (space_id, id, writer)
);
create index attributions_by_writer on attributions (writer) where writer <> 0;

-- The totals of attributed calls. What is not in them is attributed to nothing.
create table attributed_months (
  space_id text collate "C" not null,
  month text collate "C" not null,
  attribution text collate "C" not null,
  key_id text collate "C" not null,
  model text collate "C" not null,
  requests bigint not null,
  unpriced bigint not null,
  cost numeric(38, 12) not null,
  writer integer not null default 0,
  primary key (space_id, month, attribution, key_id, model, writer)
);
create index attributed_months_by_writer on attributed_months (writer) where writer <> 0;

create table attributed_days (
  space_id text collate "C" not null,
  day date not null,
  attribution text collate "C" not null,
  key_id text collate "C" not null,
  requests bigint not null,
  unpriced bigint not null,
  cost numeric(38, 12) not null,
  writer integer not null default 0,
  primary key (space_id, day, attribution, key_id, writer)
);
create index attributed_days_by_writer on attributed_days (writer) where writer <> 0;

-- The id of the attribution; null: attributed to nothing.
alter table calls add column attribution text collate "C";

-- The tags of calls that have none of these keys: key=value pairs, separated by commas.
alter table keys add column tags text;
alter table members add column tags text;

-- The tags that a batch was submitted with: those that go before the tags of its lines, and those that go after them.
alter table batches add column tags json;
-- The values of the attribution, as canonical JSON.
alter table batch_lines add column attribution text;
alter table line_receipts add column attribution text;
alter table video_jobs add column attribution text;

-- expand
-- locks: nothing that exists
-- takes: a moment
-- What calls cost that were removed after their retention or archived, so that reports and the books still add up.

-- By everything that a report adds up by. Only calls that count: with a known cost, not failed, never corrected.
create table removed_calls (
  space_id text collate "C" not null,
  -- In KST, as in day_totals.
  day date not null,
  key_id text collate "C" not null,
  model text collate "C" not null,
  utc_day date not null,
  -- Empty: none.
  provider text collate "C" not null,
  upstream_model text collate "C" not null,
  currency text collate "C" not null,
  -- Whether the cost at the provider is known.
  billed boolean not null,
  requests bigint not null,
  estimated bigint not null,
  cost numeric(38, 12) not null,
  provider_cost numeric(38, 12) not null,
  primary key (space_id, day, key_id, model, utc_day, provider, upstream_model, currency, billed)
);
create index removed_calls_by_day on removed_calls (day);

-- What of an entry of the journal was charged for removed calls.
create table removed_entries (
  entry_id bigint primary key,
  cost numeric(38, 12) not null
);

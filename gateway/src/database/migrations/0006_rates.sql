-- How much a key and a space may ask in a minute; null is no limit.

alter table keys add column requests_per_minute integer check (requests_per_minute > 0);
alter table keys add column tokens_per_minute integer check (tokens_per_minute > 0);
alter table spaces add column requests_per_minute integer check (requests_per_minute > 0);
alter table spaces add column tokens_per_minute integer check (tokens_per_minute > 0);

-- What each process counted, so that the others know of it. Nothing is owed for these numbers and they
-- are old after two minutes, so they are not worth a write-ahead log: a crash of the database empties them.
create unlogged table rate_counts (
  -- Minutes since 1970.
  minute bigint not null,
  -- The id of a key or of a space.
  subject text collate "C" not null,
  process text collate "C" not null,
  requests bigint not null,
  tokens bigint not null,
  primary key (subject, minute, process)
);
create index rate_counts_by_minute on rate_counts (minute);

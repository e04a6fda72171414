-- expand
-- locks: nothing that calls use
-- takes: a moment
-- What keys had spent of their month at the end of a day, to notice a day that is unlike those before. A program of the
-- previous version works on: it notices none.
create table key_days (
  key_id text collate "C" not null,
  day date not null,
  spent numeric(38, 12) not null,
  primary key (key_id, day)
);
create index key_days_by_day on key_days (day);

-- version 1
-- The calendar day in Korea (KST, UTC+9), by which the totals of days are kept.
create or replace function korean_day(at timestamptz) returns date language sql immutable as
  $$ select ((at at time zone 'UTC') + interval '9 hours')::date $$;

-- version 1
-- When a calendar month (`2026-11`) begins in Korea (KST, UTC+9).
create or replace function month_begins(month text) returns timestamptz language sql immutable as
  $$ select (to_date(month, 'YYYY-MM')::timestamp at time zone 'UTC') - interval '9 hours' $$;

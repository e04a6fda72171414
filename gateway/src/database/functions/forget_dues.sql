-- version 1
-- Settles spaces that owe something to writers that have ended, and forgets what these posted once it is paid. A space whose
-- account somebody else has locked is left for the next time. Returns how many spaces were settled.
create or replace function forget_dues(of_writers integer[], spaces_max integer, at timestamptz) returns integer
language plpgsql as $$
declare
  settled text[];
begin
  settled := settle_spaces(array(
    select distinct space_id from dues where writer = any (of_writers) order by space_id limit spaces_max), at);
  with paid as (
    delete from dues d using settled_dues s
    where d.space_id = any (settled) and d.writer = any (of_writers) and d.writer <> 0
      and s.space_id = d.space_id and s.month = d.month and s.writer = d.writer and s.amount = d.amount
    returning d.space_id, d.month, d.writer
  )
  delete from settled_dues s using paid p
  where s.space_id = p.space_id and s.month = p.month and s.writer = p.writer;
  return cardinality(settled);
end $$;

-- version 1
-- Gives back the slices of processes that have ended. A purse that somebody else is changing is left for the next time.
-- Returns how many slices there were.
create or replace function fold_slices(rows_max integer) returns integer language plpgsql as $$
declare
  slice record;
  folded integer := 0;
begin
  for slice in
    select s.purse, s.process_id from slices s left join processes p on p.id = s.process_id
    where p.id is null or p.ended_at is not null order by s.purse limit rows_max
  loop
    perform from purses where id = slice.purse for update skip locked;
    continue when not found;
    with gone as (
      delete from slices s where s.purse = slice.purse and s.process_id = slice.process_id returning s.granted)
    update purses set given = given - gone.granted from gone where id = slice.purse;
    perform pg_notify('tollgate_purses', 'back ' || slice.purse);
    folded := folded + 1;
  end loop;
  return folded;
end $$;

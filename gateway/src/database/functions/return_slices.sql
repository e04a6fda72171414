-- version 1
-- Takes back what a process does not keep of some purses, and notifies the others. `kept` is empty for a purse that it does not
-- use any more. A return that arrives after the slice was raised again has no effect. As in `raise_slices`, a purse that
-- somebody else is changing is left out, and purses are changed in the order of their ids. Returns those that were left out.
create or replace function return_slices(of_process text, returned text[], kept text[], turns integer[])
returns setof text language plpgsql as $$
declare
  slice record;
begin
  for slice in
    select r.purse, nullif(r.kept, '')::numeric as kept, r.turn
    from unnest(returned, return_slices.kept, turns) as r (purse, kept, turn) order by r.purse collate "C"
  loop
    perform from purses where id = slice.purse for update skip locked;
    if not found then
      if exists (select from purses where id = slice.purse) then
        return next slice.purse;
      end if;
      continue;
    end if;
    with before as (
      select granted from slices s where s.purse = slice.purse and s.process_id = of_process and s.turn = slice.turn
    ), gone as (
      delete from slices s
      where slice.kept is null and s.purse = slice.purse and s.process_id = of_process and s.turn = slice.turn
    ), less as (
      update slices s set granted = least(s.granted, slice.kept)
      where slice.kept is not null and s.purse = slice.purse and s.process_id = of_process and s.turn = slice.turn)
    update purses set given = given - (before.granted - least(before.granted, coalesce(slice.kept, 0)))
    from before where id = slice.purse;
    if found then
      perform pg_notify('tollgate_purses', 'back ' || slice.purse || ' ' || of_process);
    end if;
  end loop;
end $$;

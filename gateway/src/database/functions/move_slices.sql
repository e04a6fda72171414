-- version 1
-- What a process held of some purses is reserved from now on, and no longer part of its slices. In the order of the purses, as
-- everything that locks several of them.
create or replace function move_slices(of_process text, moved text[], amounts numeric[]) returns void language plpgsql as $$
declare
  slice record;
begin
  for slice in
    select m.purse, m.amount from unnest(moved, amounts) as m (purse, amount) order by m.purse collate "C"
  loop
    perform from purses where id = slice.purse for update;
    with changed as (
      update slices s set granted = greatest(s.granted - slice.amount, 0)
      from slices before where before.purse = s.purse and before.process_id = s.process_id
        and s.purse = slice.purse and s.process_id = of_process
      returning before.granted - s.granted as less)
    update purses set given = given - changed.less from changed where id = slice.purse;
  end loop;
end $$;

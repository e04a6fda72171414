-- version 1
-- Pays a part of what a space owes for calls: takes the units that were valid at `valid_at` and writes the entry. A part
-- of settle_space.
create or replace function pay_due(
  of_space text, part numeric, valid_at timestamptz, at timestamptz, of_writers integer[], through bigint[]
) returns void language plpgsql as $$
declare
  taken record;
begin
  if part <= 0 then
    return;
  end if;
  taken := take_units(of_space, part, valid_at);
  insert into journal (space_id, kind, ref, promo, paid, overage, due, grant_ids, grant_parts, at, due_writers, due_through)
  values (of_space, 'payment', 'calls', taken.promo, taken.paid, taken.overage, part, taken.grant_ids,
    taken.grant_parts, at, of_writers, through);
end $$;

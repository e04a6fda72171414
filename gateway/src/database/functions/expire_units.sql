-- version 1
-- Empties the grants of a space that expired by `until`, and writes the entry. The caller holds the lock on the account,
-- and has paid the charges that were made before. A part of settle_space.
create or replace function expire_units(of_space text, until timestamptz, at timestamptz) returns void language plpgsql as $$
begin
  with due as (
    select id, remaining from grants where space_id = of_space and remaining > 0 and expires_at <= until order by id
  ), emptied as (
    update grants set remaining = 0 from due where grants.id = due.id
  )
  insert into journal (space_id, kind, ref, promo, expired, grant_ids, grant_parts, at)
  select of_space, 'expiry', 'units', -sum(remaining), sum(remaining), array_agg(id), array_agg(-remaining), at
  from due having count(*) > 0;
end $$;

-- version 2
-- Takes units from a space: promo units first, the grant that expires first before the others, then paid units,
-- then overage. The caller holds the lock on the account and writes the journal entry. All returned amounts are
-- negative or zero.
create or replace function take_units(
  of_space text, due numeric, at timestamptz,
  out promo numeric, out paid numeric, out overage numeric, out grant_ids text[], out grant_parts numeric[]
) language plpgsql as $$
declare
  part numeric;
  held record;
begin
  -- The first grant nearly always has enough. One statement then takes half as long as the loop.
  update grants set remaining = remaining - due
  where remaining >= due and id = (
    select g.id from grants g
    where g.space_id = of_space and g.remaining > 0 and (g.expires_at is null or g.expires_at > at)
    order by g.kind desc, g.expires_at nulls last, g.id
    limit 1
  )
  returning id, kind into held;
  if found then
    promo := case held.kind when 'promo' then -due else 0 end;
    paid := -due - promo;
    overage := 0;
    grant_ids := array[held.id];
    grant_parts := array[-due];
    return;
  end if;

  promo := 0;
  paid := 0;
  grant_ids := '{}';
  grant_parts := '{}';
  -- One statement for all spaces would cost several times as much.
  for held in
    select g.id, g.kind, g.remaining from grants g
    where g.space_id = of_space and g.remaining > 0 and (g.expires_at is null or g.expires_at > at)
    order by g.kind desc, g.expires_at nulls last, g.id
  loop
    part := least(held.remaining, due);
    update grants set remaining = remaining - part where id = held.id;
    due := due - part;
    if held.kind = 'promo' then promo := promo - part; else paid := paid - part; end if;
    grant_ids := grant_ids || held.id;
    grant_parts := grant_parts || -part;
    exit when due = 0;
  end loop;
  overage := -due;
  if due > 0 then
    update accounts set overage_accrued = overage_accrued + due where space_id = of_space;
  end if;
end $$;

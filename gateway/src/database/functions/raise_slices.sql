-- version 2
-- Gives a process more of some purses. What all processes have and have not spent, together with what is spent and reserved, is
-- never more than the purse. A process gets what its call needs, or more if that is a fair part: a half of what is left,
-- divided by the processes. A purse that somebody else is changing is left out; the caller asks again. Purses are asked for in
-- the order of their ids, which prevents deadlocks.
create or replace function raise_slices(
  of_process text, kinds text[], ids text[], spaces text[], months text[], needs numeric[], wants numeric[], hards boolean[],
  at timestamptz
) returns table (
  place integer, granted numeric, own numeric, cap numeric, spent numeric, reserved numeric, unused numeric, others numeric,
  ends_at timestamptz, turn integer
) language plpgsql as $$
declare
  processes integer;
  of_purse text;
  own_granted numeric;
  room numeric;
  fair numeric;
  given numeric;
begin
  -- A process that others took for dead has no slices; it has to register again.
  if not exists (select from processes p where p.id = of_process and p.ended_at is null) then
    place := 0;
    return next;
    return;
  end if;
  select count(*) into processes from processes p where p.ended_at is null and (p.lease_until > now() or p.id = of_process);
  for i in 1 .. cardinality(kinds) loop
    of_purse := concat_ws(':', kinds[i], ids[i], nullif(months[i], ''));
    perform from purses p where p.id = of_purse for update skip locked;
    if not found then
      -- Nobody waits for somebody else who is making the same purse, either.
      continue when exists (select from purses p where p.id = of_purse)
        or not pg_try_advisory_xact_lock(hashtextextended(of_purse, 0));
      insert into purses (id) values (of_purse) on conflict (id) do nothing;
      perform from purses p where p.id = of_purse for update skip locked;
      continue when not found;
    end if;
    -- One statement, so that a charge of another process is in all of its figures or in none.
    select f.* into own_granted, own, others, cap, ends_at, spent, reserved
    from purse_figures(kinds[i], ids[i], spaces[i], months[i], of_process, at) f;
    unused := cap - spent - reserved - others - greatest(own_granted - own, 0);
    -- A limit that was removed meanwhile.
    room := greatest(coalesce(unused, needs[i] + wants[i]), 0);
    fair := case when processes <= 1 then room else room / (2 * processes) end;
    given := greatest(needs[i], least(greatest(wants[i], fair / 8), fair));
    if given > room then
      given := case when hards[i] and needs[i] > room then 0 else room end;
    end if;
    given := trunc(given, 12);
    granted := greatest(own_granted, own) + given;
    unused := coalesce(unused, room) - given;
    place := i;
    insert into slices as s (purse, process_id, granted) values (of_purse, of_process, raise_slices.granted)
    on conflict on constraint slices_pkey do update set granted = excluded.granted, turn = s.turn + 1
    returning s.turn into turn;
    update purses p set given = p.given + raise_slices.granted - own_granted where p.id = of_purse;
    return next;
  end loop;
end $$;

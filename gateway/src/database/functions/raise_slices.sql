-- version 1
-- Gives a process more of some purses. What all processes have and have not spent, together with what is spent and reserved, is
-- never more than the purse. A process gets what its call needs, or more if that is a fair part: a half of what is left,
-- divided by the processes. A purse that another process is asking for at this moment is left out; the caller asks again.
create or replace function raise_slices(
  of_process text, kinds text[], ids text[], spaces text[], months text[], needs numeric[], wants numeric[], hards boolean[],
  at timestamptz
) returns table (
  place integer, granted numeric, cap numeric, spent numeric, reserved numeric, unused numeric, others numeric, ends_at timestamptz
) language plpgsql as $$
declare
  processes integer;
  of_purse text;
  own numeric;
  own_granted numeric;
  room numeric;
  fair numeric;
  given numeric;
begin
  select count(*) into processes from processes p where p.ended_at is null and (p.lease_until > at or p.id = of_process);
  for i in 1 .. cardinality(kinds) loop
    of_purse := concat_ws(':', kinds[i], ids[i], nullif(months[i], ''));
    continue when not pg_try_advisory_xact_lock(7461156, hashtext(of_purse));
    place := i;
    ends_at := null;
    if kinds[i] = 'space' then
      select coalesce(sum(g.remaining), 0), min(g.expires_at) into cap, ends_at from grants g
      where g.space_id = spaces[i] and g.remaining > 0 and (g.expires_at is null or g.expires_at > at);
      cap := cap - coalesce((select sum(d.amount) from dues d where d.space_id = spaces[i]), 0)
        + coalesce((select sum(s.amount) from settled_dues s where s.space_id = spaces[i]), 0);
    elsif kinds[i] = 'key' then
      select k.month_limit into cap from keys k where k.id = ids[i];
    else
      select m.month_limit into cap from members m where m.id = ids[i];
    end if;
    spent := purse_spent(kinds[i], ids[i], spaces[i], months[i], null);
    reserved := purse_reserved(kinds[i], ids[i], spaces[i], at);
    select coalesce(sum(greatest(s.granted - purse_spent(kinds[i], ids[i], spaces[i], months[i], s.process_id), 0))
        filter (where s.process_id <> of_process), 0),
      coalesce(max(s.granted) filter (where s.process_id = of_process), 0)
    into others, own_granted from slices s where s.purse = of_purse;
    own := purse_spent(kinds[i], ids[i], spaces[i], months[i], of_process);
    unused := coalesce(cap, 0) - spent - reserved - others - greatest(own_granted - own, 0);
    room := greatest(unused, 0);
    fair := case when processes <= 1 then room else room / (2 * processes) end;
    given := greatest(needs[i], least(greatest(wants[i], fair / 8), fair));
    if given > room then
      given := case when hards[i] and needs[i] > room then 0 else room end;
    end if;
    given := trunc(given, 12);
    granted := greatest(own_granted, own) + given;
    unused := unused - given;
    insert into slices as s (purse, process_id, granted) values (of_purse, of_process, raise_slices.granted)
    on conflict on constraint slices_pkey do update set granted = excluded.granted;
    return next;
  end loop;
end $$;

-- Calls that make images: how many, and how much of their prompt was images.

alter table calls add column images bigint;
alter table calls add column image_input_tokens bigint;

-- As before, with the two new columns. Rows of a process that does not know them yet leave them null.
create or replace function record_calls(incoming text, spaces text[], at timestamptz) returns integer language plpgsql as $$
declare
  added integer;
  debtors text[];
  debts numeric[];
  due numeric;
  part numeric;
  held record;
begin
  -- Whoever moves units of a space holds its account row; taking them in one order for all avoids
  -- deadlocks, and each statement below then sees what the holder before us committed.
  perform 1 from accounts where space_id = any (spaces) order by space_id for update;

  with fresh as (
    insert into calls
    select f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9]::boolean, f[10], f[11], f[12], f[13],
      f[14]::bigint, f[15]::bigint, f[16]::bigint, f[17]::bigint, f[18]::bigint, f[19],
      f[20]::numeric(38, 12), f[21]::json, f[22]::integer, f[23]::timestamptz, f[24]::integer,
      f[25]::integer, f[26]::timestamptz, f[27], f[28]::bigint, f[29]::bigint
    from string_to_table(incoming, E'\x1e') as row, string_to_array(row, E'\x1f', '') as f
    on conflict (id) do nothing
    returning space_id, month, key_id, model, outcome, cost
  ), summed as (
    insert into month_totals as t (space_id, month, key_id, model, requests, unpriced, cost)
    select space_id, month, key_id, model, count(*), count(*) filter (where cost is null), coalesce(sum(cost), 0)
    from fresh where outcome <> 'failed' group by space_id, month, key_id, model
    on conflict (space_id, month, key_id, model) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost
  ), owed as (
    select space_id, sum(cost) as amount from fresh where cost > 0 group by space_id
  )
  select (select count(*) from fresh), array_agg(space_id), array_agg(amount)
  into added, debtors, debts from owed;

  -- A space seldom has more than one grant with units, so this is nearly always one row read and one
  -- written; a single statement for all spaces costs several times as much.
  for i in 1 .. coalesce(cardinality(debtors), 0) loop
    due := debts[i];
    for held in
      select id, remaining from grants
      where space_id = debtors[i] and remaining > 0 and (expires_at is null or expires_at > at)
      order by kind desc, expires_at nulls last, id
    loop
      part := least(held.remaining, due);
      update grants set remaining = remaining - part where id = held.id;
      due := due - part;
      exit when due = 0;
    end loop;
    if due > 0 then
      update accounts set overage_accrued = overage_accrued + due where space_id = debtors[i];
    end if;
  end loop;

  return added;
end $$;

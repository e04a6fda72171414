-- version 8
-- Records a group of calls in one statement: the rows of the calls, one journal entry for each space that pays, and
-- the totals of the month and the day. A call that was recorded before changes nothing, so a group may be sent
-- again when its reply was lost. `incoming` holds rows that end with U+001E; a row holds the fields of the table in
-- order, each ending with U+001F; an empty field is null. Processes of an older version send fewer fields: the
-- missing ones must stay optional. Returns the number of new calls.
create or replace function record_calls(incoming text, spaces text[], at timestamptz) returns integer language plpgsql as $$
declare
  added integer;
  entries bigint[];
  debtors text[];
  debts numeric[];
  taken record;
  written journal[];
begin
  -- Everything that moves units of a space holds its account row. The fixed order prevents deadlocks, and each
  -- statement below sees what the previous holder committed. Most groups have one space, and then none of these
  -- statements has an array: PostgreSQL would plan those again each time.
  if cardinality(spaces) = 1 then
    perform 1 from accounts where space_id = spaces[1] for update;
  else
    perform 1 from accounts where space_id = any (spaces) order by space_id for update;
  end if;

  -- A call names its entry, but an entry is written only after the costs of its calls are summed. So the ids of
  -- the entries are reserved first.
  if cardinality(spaces) = 1 then
    entries := array[nextval('journal_id_seq')];
  else
    entries := array(select nextval('journal_id_seq') from unnest(spaces));
  end if;

  with fresh as (
    insert into calls
    select f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9]::boolean, f[10], f[11], f[12], f[13],
      f[14]::bigint, f[15]::bigint, f[16]::bigint, f[17]::bigint, f[18]::bigint, f[19],
      f[20]::numeric(38, 12), f[21]::json, f[22]::integer, f[23]::timestamptz, f[24]::integer,
      f[25]::integer, f[26]::timestamptz, f[27], f[28]::bigint, f[29]::bigint,
      case when f[20]::numeric > 0 then entries[array_position(spaces, f[2])] end, f[30]::json,
      f[31]::jsonb, f[32]::numeric(38, 12), f[33], f[34], f[35], f[36]::numeric(38, 12)
    -- Without "offset 0" the row would be split again for each of its fields.
    from (
      select string_to_array(row, E'\x1f', '') as f from string_to_table(incoming, E'\x1e') as row offset 0
    ) as rows
    on conflict (space_id, id) do nothing
    returning space_id, month, key_id, model, outcome, cost, provisional, charged_at
  ), month_summed as (
    insert into month_totals as t (space_id, month, key_id, model, requests, unpriced, cost, last_at, provisional)
    select space_id, month, key_id, model, count(*), count(*) filter (where cost is null), coalesce(sum(cost), 0),
      max(charged_at), coalesce(sum(provisional), 0)
    from fresh where outcome <> 'failed' group by space_id, month, key_id, model
    on conflict (space_id, month, key_id, model) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost,
      last_at = greatest(t.last_at, excluded.last_at),
      provisional = t.provisional + excluded.provisional
  ), day_summed as (
    insert into day_totals as t (space_id, day, model, requests, unpriced, cost)
    select space_id, korean_day(charged_at), model, count(*), count(*) filter (where cost is null), coalesce(sum(cost), 0)
    from fresh where outcome <> 'failed' group by 1, 2, 3
    on conflict (space_id, day, model) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost
  ), owed as (
    select space_id, sum(cost) as amount from fresh where cost > 0 group by space_id
  )
  select (select count(*) from fresh), array_agg(space_id), array_agg(amount)
  into added, debtors, debts from owed;

  for i in 1 .. coalesce(cardinality(debtors), 0) loop
    taken := take_units(debtors[i], debts[i], at);
    if cardinality(debtors) = 1 then
      insert into journal values (entries[array_position(spaces, debtors[i])], debtors[i], 'charge', 'calls', 0,
        taken.promo, taken.paid, taken.overage, debts[i], 0, 0, taken.grant_ids, taken.grant_parts, '', at);
      exit;
    end if;
    written := written || row(entries[array_position(spaces, debtors[i])], debtors[i], 'charge', 'calls', 0,
      taken.promo, taken.paid, taken.overage, debts[i], 0, 0, taken.grant_ids, taken.grant_parts, '', at)::journal;
  end loop;
  if written is not null then
    insert into journal select * from unnest(written);
  end if;

  return added;
end $$;

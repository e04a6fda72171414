-- version 3
-- Records a group of calls in one statement: their rows, one charge for each space that pays, and the totals of the
-- month and the day. It writes only rows of its writer, so that no process waits for another. What is charged is due
-- until `settle_space` has paid it. A call that was recorded before changes nothing, so a group may be sent again when
-- its reply was lost, also by another writer: rows are inserted in the order of their keys, which prevents deadlocks.
--
-- `incoming` holds rows that end with U+001E; a row holds the fields of the table in order, each ending with U+001F; an
-- empty field is null. Then come the values of its attribution, which are stored once for the writer, and the budgets that it
-- counts in. Processes of an older
-- version send fewer fields: the missing ones must stay optional. All calls are of the month of `at`. Returns the number of
-- new calls.
create or replace function charge_calls(of_writer integer, incoming text, spaces text[], at timestamptz)
returns integer language plpgsql as $$
declare
  added integer;
  -- A call names its entry, but an entry is written only after the costs of its calls are summed. So the ids of
  -- the entries are reserved first.
  entries bigint[];
begin
  if cardinality(spaces) = 1 then
    entries := array[nextval('journal_id_seq')];
  else
    entries := array(select nextval('journal_id_seq') from unnest(spaces));
  end if;

  -- Materialized, or the row would be split again for each of its fields.
  with rows as materialized (
    select string_to_array(row, E'\x1f', '') as f from string_to_table(incoming, E'\x1e') as row
  ), fresh as (
    insert into calls
    select f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9]::boolean, f[10], f[11], f[12], f[13],
      f[14]::bigint, f[15]::bigint, f[16]::bigint, f[17]::bigint, f[18]::bigint, f[19],
      f[20]::numeric(38, 12), f[21]::json, f[22]::integer, f[23]::timestamptz, f[24]::integer,
      f[25]::integer, f[26]::timestamptz, f[27], f[28]::bigint, f[29]::bigint,
      case when f[20]::numeric > 0 then entries[array_position(spaces, f[2])] end, f[30]::json,
      f[31]::jsonb, f[32]::numeric(38, 12), f[33], f[34], f[35], f[36]::numeric(38, 12), f[37], f[39]::json
    from rows
    order by f[2] collate "C", f[1] collate "C"
    on conflict (space_id, id) do nothing
    returning space_id, month, key_id, model, outcome, cost, provisional, charged_at, entry_id, attribution,
      budgets
  ), named as (
    insert into attributions (space_id, id, writer, dimensions)
    select distinct on (f[2], f[37]) f[2], f[37], of_writer, f[38]::jsonb from rows where f[37] is not null
    on conflict (space_id, id, writer) do nothing
  ), attributed as (
    select * from fresh where attribution is not null and outcome <> 'failed'
  ), attributed_by_month as (
    insert into attributed_months as t (space_id, month, attribution, key_id, model, writer, requests, unpriced, cost)
    select space_id, month, attribution, key_id, model, of_writer, count(*), count(*) filter (where cost is null),
      coalesce(sum(cost), 0)
    from attributed group by space_id, month, attribution, key_id, model
    on conflict (space_id, month, attribution, key_id, model, writer) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost
  ), attributed_by_day as (
    insert into attributed_days as t (space_id, day, attribution, key_id, writer, requests, unpriced, cost)
    select space_id, korean_day(charged_at), attribution, key_id, of_writer, count(*),
      count(*) filter (where cost is null), coalesce(sum(cost), 0)
    from attributed group by 1, 2, 3, 4
    on conflict (space_id, day, attribution, key_id, writer) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost
  ), budgeted as (
    insert into budget_parts as t (budget_id, starts, value_id, writer, space_id, value, requests, spent)
    select b.budget ->> 0, b.budget ->> 3, b.budget ->> 1, of_writer, f.space_id, max(b.budget ->> 2), count(*),
      sum(coalesce(f.cost, f.provisional, 0))
    from fresh f cross join lateral json_array_elements(f.budgets) as b (budget)
    where f.budgets is not null and f.outcome <> 'failed' group by 1, 2, 3, f.space_id
    on conflict (budget_id, starts, value_id, writer) do update set
      requests = t.requests + excluded.requests,
      spent = t.spent + excluded.spent
  ), month_summed as (
    insert into month_parts as t (space_id, month, key_id, model, writer, requests, unpriced, cost, last_at, provisional)
    select space_id, month, key_id, model, of_writer, count(*), count(*) filter (where cost is null),
      coalesce(sum(cost), 0), max(charged_at), coalesce(sum(provisional), 0)
    from fresh where outcome <> 'failed' group by space_id, month, key_id, model
    on conflict (space_id, month, key_id, model, writer) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost,
      last_at = greatest(t.last_at, excluded.last_at),
      provisional = t.provisional + excluded.provisional
  ), day_summed as (
    insert into day_parts as t (space_id, day, model, writer, requests, unpriced, cost)
    select space_id, korean_day(charged_at), model, of_writer, count(*), count(*) filter (where cost is null),
      coalesce(sum(cost), 0)
    from fresh where outcome <> 'failed' group by 1, 2, 3
    on conflict (space_id, day, model, writer) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost
  ), owed as (
    select space_id, entry_id, sum(cost) as amount from fresh where cost > 0 group by space_id, entry_id
  ), charged as (
    insert into journal (id, space_id, kind, ref, due, spent, writer, at)
    select entry_id, space_id, 'charge', 'calls', -amount, amount, of_writer, at from owed
  ), posted as (
    insert into dues as d (space_id, month, writer, amount, entry_id)
    select space_id, to_char(korean_day(at), 'YYYY-MM'), of_writer, amount, entry_id from owed
    on conflict (space_id, month, writer) do update set
      amount = d.amount + excluded.amount, entry_id = excluded.entry_id
  )
  select count(*) from fresh into added;
  return added;
end $$;

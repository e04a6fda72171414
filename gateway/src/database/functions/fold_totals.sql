-- version 3
-- Moves totals of writers that have ended to writer 0, at most `rows_max` rows of each table. Rows are changed in the order of
-- their keys, so that two processes may do it at the same time. Returns how many rows were moved.
create or replace function fold_totals(of_writers integer[], rows_max integer) returns integer language plpgsql as $$
declare
  months integer;
  days integer;
  attributed integer;
  attributed_by_day integer;
  named integer;
  budgeted integer;
begin
  with gone as (
    delete from month_parts where ctid = any (array(
      select ctid from month_parts where writer = any (of_writers) and writer <> 0
      order by space_id, month, key_id, model, writer limit rows_max for update skip locked))
    returning *
  ), moved as (
    insert into month_parts as t (space_id, month, key_id, model, writer, requests, unpriced, cost, last_at, provisional)
    select space_id, month, key_id, model, 0, sum(requests), sum(unpriced), sum(cost), max(last_at), sum(provisional)
    from gone group by space_id, month, key_id, model order by space_id, month, key_id, model
    on conflict (space_id, month, key_id, model, writer) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost,
      last_at = greatest(t.last_at, excluded.last_at),
      provisional = t.provisional + excluded.provisional
  )
  select count(*) into months from gone;

  with gone as (
    delete from day_parts where ctid = any (array(
      select ctid from day_parts where writer = any (of_writers) and writer <> 0
      order by space_id, day, model, writer limit rows_max for update skip locked))
    returning *
  ), moved as (
    insert into day_parts as t (space_id, day, model, writer, requests, unpriced, cost)
    select space_id, day, model, 0, sum(requests), sum(unpriced), sum(cost)
    from gone group by space_id, day, model order by space_id, day, model
    on conflict (space_id, day, model, writer) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost
  )
  select count(*) into days from gone;

  with gone as (
    delete from attributed_months where ctid = any (array(
      select ctid from attributed_months where writer = any (of_writers) and writer <> 0
      order by space_id, month, attribution, key_id, model, writer limit rows_max for update skip locked))
    returning *
  ), moved as (
    insert into attributed_months as t (space_id, month, attribution, key_id, model, writer, requests, unpriced, cost)
    select space_id, month, attribution, key_id, model, 0, sum(requests), sum(unpriced), sum(cost)
    from gone group by space_id, month, attribution, key_id, model
    order by space_id, month, attribution, key_id, model
    on conflict (space_id, month, attribution, key_id, model, writer) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost
  )
  select count(*) into attributed from gone;

  with gone as (
    delete from attributed_days where ctid = any (array(
      select ctid from attributed_days where writer = any (of_writers) and writer <> 0
      order by space_id, day, attribution, key_id, writer limit rows_max for update skip locked))
    returning *
  ), moved as (
    insert into attributed_days as t (space_id, day, attribution, key_id, writer, requests, unpriced, cost)
    select space_id, day, attribution, key_id, 0, sum(requests), sum(unpriced), sum(cost)
    from gone group by space_id, day, attribution, key_id order by space_id, day, attribution, key_id
    on conflict (space_id, day, attribution, key_id, writer) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost
  )
  select count(*) into attributed_by_day from gone;

  with gone as (
    delete from attributions where ctid = any (array(
      select ctid from attributions where writer = any (of_writers) and writer <> 0
      order by space_id, id, writer limit rows_max for update skip locked))
    returning *
  ), moved as (
    insert into attributions (space_id, id, writer, dimensions)
    select distinct on (space_id, id) space_id, id, 0, dimensions from gone order by space_id, id
    on conflict (space_id, id, writer) do nothing
  )
  select count(*) into named from gone;

  with gone as (
    delete from budget_parts where ctid = any (array(
      select ctid from budget_parts where writer = any (of_writers) and writer <> 0
      order by budget_id, starts, value_id, writer limit rows_max for update skip locked))
    returning *
  ), moved as (
    insert into budget_parts as t (budget_id, starts, value_id, writer, space_id, value, requests, spent)
    select budget_id, starts, value_id, 0, space_id, max(value), sum(requests), sum(spent)
    from gone group by budget_id, starts, value_id, space_id order by budget_id, starts, value_id
    on conflict (budget_id, starts, value_id, writer) do update set
      requests = t.requests + excluded.requests,
      spent = t.spent + excluded.spent
  )
  select count(*) into budgeted from gone;
  return months + days + attributed + attributed_by_day + named + budgeted;
end $$;

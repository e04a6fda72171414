-- version 2
-- What is known of a purse: what a process may spend of it and has spent, what others may still spend, what it holds in all
-- (null: a limit that does not exist), until when that is true, what is charged, and what counts as spent besides. A space
-- holds its units without what its calls cost.
create or replace function purse_figures(
  kind text, of_id text, of_space text, of_month text, of_process text, at timestamptz
) returns table (
  own_granted numeric, own numeric, others numeric, cap numeric, ends_at timestamptz, spent numeric, reserved numeric
) language plpgsql stable as $$
begin
  return query
  select coalesce((select max(s.granted) from slices s where s.purse = p.id and s.process_id = of_process), 0),
    purse_spent(kind, of_id, of_space, of_month, of_process),
    coalesce((select sum(greatest(s.granted - purse_spent(kind, of_id, of_space, of_month, s.process_id), 0))
      from slices s join processes o on o.id = s.process_id and o.ended_at is null
      where s.purse = p.id and s.process_id <> of_process), 0),
    case kind
      when 'space' then
        coalesce((select sum(g.remaining) from grants g
          where g.space_id = of_space and g.remaining > 0 and (g.expires_at is null or g.expires_at > at)), 0)
        - coalesce((select sum(d.amount) from dues d where d.space_id = of_space), 0)
        + coalesce((select sum(s.amount) from settled_dues s where s.space_id = of_space), 0)
      when 'key' then (select k.month_limit from keys k where k.id = of_id)
      when 'budget' then (
        select b.amount + coalesce((select r.amount from budget_raises r
          where r.budget_id = b.id and r.starts = of_month and r.value_id = split_part(of_id, '.', 2)), 0)
        from budgets b where b.id = split_part(of_id, '.', 1) and b.removed_at is null)
      else (select m.month_limit from members m where m.id = of_id)
    end,
    case when kind = 'space' then (select min(g.expires_at) from grants g
      where g.space_id = of_space and g.remaining > 0 and g.expires_at > at) end,
    purse_spent(kind, of_id, of_space, of_month, null) - u.unpriced,
    purse_reserved(kind, of_id, of_space, at) + u.unpriced
  from (values (concat_ws(':', kind, of_id, nullif(of_month, '')))) as p (id), lateral (
    select coalesce(sum(t.provisional), 0) as unpriced from month_parts t left join keys k on k.id = t.key_id
    where t.space_id = of_space and t.provisional <> 0 and case purse_figures.kind
      when 'space' then true
      when 'budget' then false
      when 'key' then t.key_id = of_id and t.month = of_month
      else k.member_id = of_id and t.month = of_month end) u;
end $$;

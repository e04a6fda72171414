-- version 2
-- What a process has spent of a purse, or everybody if `of_process` is null. Calls without a price count for what
-- they provisionally cost. What everybody has spent of a space is only that: its units are less by what was charged.
create or replace function purse_spent(kind text, of_id text, of_space text, of_month text, of_process text)
returns numeric language plpgsql stable as $$
declare
  total numeric;
begin
  if kind = 'space' then
    select coalesce((select sum(d.amount) from dues d where d.space_id = of_space
        and d.writer in (select w.id from writers w where w.process_id = of_process)), 0)
      + coalesce((select sum(p.provisional) from month_parts p where p.space_id = of_space and p.provisional <> 0
        and (of_process is null or p.writer in (select w.id from writers w where w.process_id = of_process))), 0)
    into total;
  elsif kind = 'key' then
    select coalesce(sum(p.cost + p.provisional), 0) into total from month_parts p
    where p.space_id = of_space and p.month = of_month and p.key_id = of_id
      and (of_process is null or p.writer in (select w.id from writers w where w.process_id = of_process));
  elsif kind = 'budget' then
    select coalesce(sum(p.spent), 0) into total from budget_parts p
    where p.budget_id = split_part(of_id, '.', 1) and p.starts = of_month and p.value_id = split_part(of_id, '.', 2)
      and (of_process is null or p.writer in (select w.id from writers w where w.process_id = of_process));
  else
    select coalesce(sum(p.cost + p.provisional), 0) into total from keys k
    join month_parts p on p.space_id = of_space and p.month = of_month and p.key_id = k.id
    where k.member_id = of_id
      and (of_process is null or p.writer in (select w.id from writers w where w.process_id = of_process));
  end if;
  return total;
end $$;

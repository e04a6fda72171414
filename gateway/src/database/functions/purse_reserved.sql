-- version 2
-- What counts as spent of a purse although nothing is charged yet: what batches may cost that are not settled, and what calls
-- may cost whose callers left and whose process is dead. A process that is alive holds such calls in its slice.
create or replace function purse_reserved(kind text, of_id text, of_space text, at timestamptz) returns numeric
language plpgsql stable as $$
declare
  total numeric;
begin
  if kind = 'budget' then
    select coalesce((select sum((r.budgets ->> of_id)::numeric) from reserves r
        where r.space_id = of_space and r.budgets is not null), 0)
      + coalesce((select sum(l.units) from left_calls l
        where l.space_id = of_space and of_id = any (l.budgets)
          and not exists (select from processes p where p.id = l.process and p.ended_at is null)), 0)
    into total;
    return total;
  end if;
  select coalesce((select sum(r.units) from reserves r
      where r.space_id = of_space
        and case kind when 'key' then r.key_id = of_id when 'member' then r.member_id = of_id else true end), 0)
    + coalesce((select sum(l.units) from left_calls l
      where l.space_id = of_space
        and case kind when 'key' then l.key_id = of_id when 'member' then l.member_id = of_id else true end
        and not exists (select from processes p where p.id = l.process and p.ended_at is null)), 0)
  into total;
  return total;
end $$;

-- version 1
-- Pays what a space owes for calls, from its units: promo units first, the grant that expires first before the others,
-- then paid units, then overage. Then expires units. The result is the same as if each charge had taken its units when
-- it was made. So the charges of a month are paid in that month, and a grant that has expired pays for the charges that
-- were made before. The caller holds the lock on the account, and reads nothing of it before.
create or replace function settle_space(of_space text, at timestamptz) returns void language plpgsql as $$
declare
  owing record;
  begins timestamptz;
  ends timestamptz;
  paid_at timestamptz;
  ending timestamptz;
  unpaid numeric;
  part numeric;
begin
  for owing in
    select d.month, sum(d.amount - coalesce(s.amount, 0)) as amount, array_agg(d.writer) as writers,
      array_agg(d.amount) as amounts, array_agg(d.entry_id) as through, array_agg(coalesce(s.entry_id, 0)) as since
    from dues d left join settled_dues s using (space_id, month, writer)
    where d.space_id = of_space and d.amount > coalesce(s.amount, 0)
    group by d.month order by d.month
  loop
    begins := month_begins(owing.month);
    ends := month_begins(to_char(to_date(owing.month, 'YYYY-MM') + interval '1 month', 'YYYY-MM'));
    paid_at := least(at, ends - interval '1 millisecond');
    unpaid := owing.amount;
    for ending in
      select distinct g.expires_at from grants g
      where g.space_id = of_space and g.remaining > 0 and g.expires_at <= paid_at order by 1
    loop
      select unpaid - coalesce(sum(j.spent), 0) into part
      from unnest(owing.writers, owing.since, owing.through) as w (writer, since, through)
      join journal j on j.space_id = of_space and j.writer = w.writer and j.id > w.since and j.id <= w.through
        and j.at >= greatest(ending, begins) and j.at < ends;
      perform pay_due(of_space, part, ending - interval '1 microsecond', paid_at, owing.writers, owing.through);
      unpaid := unpaid - greatest(part, 0);
      perform expire_units(of_space, ending, at);
    end loop;
    perform pay_due(of_space, unpaid, paid_at, paid_at, owing.writers, owing.through);
    insert into settled_dues (space_id, month, writer, amount, entry_id)
    select of_space, owing.month, w.writer, w.amount, w.through
    from unnest(owing.writers, owing.amounts, owing.through) as w (writer, amount, through)
    on conflict (space_id, month, writer) do update set amount = excluded.amount, entry_id = excluded.entry_id;
  end loop;
  perform expire_units(of_space, at, at);
end $$;

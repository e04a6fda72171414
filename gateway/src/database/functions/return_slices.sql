-- version 1
-- Takes back what a process does not need of some purses, and tells the others.
create or replace function return_slices(of_process text, purses text[], kept numeric[]) returns void language plpgsql as $$
begin
  update slices s set granted = least(s.granted, r.kept)
  from unnest(purses, kept) as r (purse, kept)
  where s.purse = r.purse and s.process_id = of_process;
  perform pg_notify('tollgate_purses', 'back ' || purse) from unnest(purses) as r (purse);
end $$;

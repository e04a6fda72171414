-- version 1
-- Trigger on spaces, members and keys. Every process caches keys; it polls this epoch and drops its cache when
-- the epoch has moved. The notification only makes that happen sooner.
create or replace function access_changed() returns trigger language plpgsql as $$
begin
  update access_epoch set epoch = epoch + 1;
  perform pg_notify('tollgate_access', '');
  return null;
end $$;

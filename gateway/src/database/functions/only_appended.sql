-- version 1
-- Trigger on append-only tables: rejects update, delete and truncate.
create or replace function only_appended() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are only ever added', tg_table_name;
end $$;

-- version 2
-- Trigger on append-only tables: rejects update, delete and truncate. Lines of the audit log may be deleted by their age,
-- in a transaction that says so; entries of the journal never.
create or replace function only_appended() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'audit_log' and current_setting('tollgate.removes', true) = 'audit_log' then
    return null;
  end if;
  raise exception 'rows of % are only ever added', tg_table_name;
end $$;

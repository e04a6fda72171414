-- version 1
-- Used by a constraint of the journal. It is a function because PostgreSQL caches the plan of a function, but
-- parses the text of a constraint again in every statement; as plain text the constraints were half of the cost
-- of an entry. Rows that exist are not checked again when this function changes.
create or replace function sum_of(parts numeric[]) returns numeric language plpgsql immutable as $$
declare
  total numeric := 0;
begin
  for i in 1 .. cardinality(parts) loop
    total := total + parts[i];
  end loop;
  return total;
end $$;

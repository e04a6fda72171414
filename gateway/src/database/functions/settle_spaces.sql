-- version 1
-- Settles several spaces, in the order of locks. A space whose account somebody else has locked is left out. Returns the
-- spaces that were settled.
create or replace function settle_spaces(of_spaces text[], at timestamptz) returns text[] language plpgsql as $$
declare
  settled text[] := '{}';
  one text;
begin
  for one in
    select space_id from accounts where space_id = any (of_spaces) order by space_id for update skip locked
  loop
    perform settle_space(one, at);
    settled := settled || one;
  end loop;
  return settled;
end $$;

-- Whoever changes spaces, members or keys takes the row of access_epoch first, before any other lock: see
-- LOCKS.md. After the statement, as it was, two who changed the same key or member could each hold what the
-- other waited for.
drop trigger spaces_changed on spaces;
drop trigger members_changed on members;
drop trigger keys_changed on keys;
create trigger spaces_changed before insert or update or delete on spaces
  for each statement execute function access_changed();
create trigger members_changed before insert or update or delete on members
  for each statement execute function access_changed();
create trigger keys_changed before insert or update or delete on keys
  for each statement execute function access_changed();

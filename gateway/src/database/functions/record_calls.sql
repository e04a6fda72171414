-- version 9
-- What processes of the version before writers call to record calls.
create or replace function record_calls(incoming text, spaces text[], at timestamptz) returns integer language plpgsql as $$
begin
  return charge_calls(0, incoming, spaces, at);
end $$;

-- version 1
-- Trigger on jobs: wakes the workers of all processes, so that a new job does not wait for their next poll.
create or replace function job_due() returns trigger language plpgsql as $$
begin
  perform pg_notify('tollgate_jobs', '');
  return null;
end $$;

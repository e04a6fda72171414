-- expand
-- locks: repeatable_calls and kept_responses, each for a moment
-- takes: a moment
-- Background responses. A process of the previous version rejects `background`; it shows a running response as it was stored.
alter table repeatable_calls
  -- A call that nobody has to wait for: it is never run again, and another process declares its end if its process died.
  add column background boolean not null default false,
  -- Its owner asked for its end.
  add column cancel boolean not null default false,
  -- Who called which model, as JSON: for the record of a background call whose process died.
  add column facts text;
create index repeatable_calls_background on repeatable_calls (lease_until) where background and state = 'running';

alter table kept_responses
  -- Null: it has an answer. Otherwise running, failed or cancelled.
  add column state text;

-- Work that outlives the process that began it. A job is about one subject; whoever works on it holds a
-- lease, and the epoch of that claim stands in everything it writes, so that a holder that slept through
-- its lease can change nothing any more.
create table jobs (
  kind text collate "C" not null,
  subject text collate "C" not null,
  due_at timestamptz not null,
  epoch bigint not null default 0,
  lease_until timestamptz,
  -- In a row.
  failures integer not null default 0,
  last_error text,
  created_at timestamptz not null,
  primary key (kind, subject)
);
create index jobs_by_due on jobs (due_at);

create function job_due() returns trigger language plpgsql as $$
begin
  perform pg_notify('tollgate_jobs', '');
  return null;
end $$;
create trigger jobs_due after insert on jobs for each statement execute function job_due();

-- Batches.

create table batches (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  owner text collate "C" not null,
  key_id text collate "C" not null,
  member_id text collate "C",
  input_file_id text collate "C" not null,
  endpoint text not null,
  model text collate "C" not null,
  metadata json,
  status text not null check (status in (
    'validating', 'in_progress', 'finalizing', 'completed', 'failed', 'cancelling', 'cancelled', 'expired')),
  total integer not null,
  completed integer not null default 0,
  failed integer not null default 0,
  -- Of the whole submission: [{code, message, param, line}].
  errors json,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  in_progress_at timestamptz,
  finalizing_at timestamptz,
  completed_at timestamptz,
  failed_at timestamptz,
  cancelling_at timestamptz,
  cancelled_at timestamptz,
  expired_at timestamptz,
  -- Where the lines run: in our workers (null), or in a batch of this provider's, under this id. The id is
  -- written after the provider's answer; `provider_sent_at` before it was asked.
  provider text,
  provider_sent_at timestamptz,
  provider_file_id text,
  provider_batch_id text unique,
  output_file_id text collate "C",
  error_file_id text collate "C",
  settlement_status text not null default 'pending' check (settlement_status in (
    'pending', 'queued', 'processing', 'settling', 'settled', 'quarantined')),
  settlement_reason text,
  settled_units numeric(38, 12) check (settled_units >= 0),
  settled_at timestamptz,
  settled_month text collate "C",
  -- How many of its lines count as requests of that month.
  settled_requests integer,
  entry_id bigint references journal (id),
  -- Nothing is settled without its units, no file is shown before it, and no units are taken twice.
  constraint batches_settled check (
    (settlement_status = 'settled') = (settled_units is not null) and
    (settled_units is not null) = (settled_at is not null) and
    (settled_at is not null) = (settled_month is not null) and
    (settled_month is not null) = (settled_requests is not null)),
  constraint batches_files check (
    settlement_status = 'settled' or (output_file_id is null and error_file_id is null)),
  constraint batches_charged check ((entry_id is not null) = (coalesce(settled_units, 0) > 0))
);
create index batches_by_space on batches (space_id, id);
-- Their input is kept until they are settled.
create index batches_unsettled_by_input on batches (input_file_id) where settlement_status <> 'settled';

-- The lines that are done, until they stand in the files of their batch. One row for each: whoever does a
-- line again finds it there.
create table batch_lines (
  batch_id text collate "C" not null references batches (id) on delete cascade,
  line integer not null,
  -- The whole line of the result or error file.
  text text not null,
  ok boolean not null,
  -- Null: not known, which is not zero.
  cost numeric(38, 12) check (cost >= 0),
  usage json,
  price_version text,
  primary key (batch_id, line)
);

-- The receipts of batch lines. They stay when the lines are deleted, and are shown once their batch is settled.
create table line_receipts (
  id text collate "C" primary key,
  batch_id text collate "C" not null references batches (id) on delete cascade,
  line integer not null,
  provider text,
  upstream_model text,
  outcome text not null,
  problem text,
  finish_reason text,
  usage_source text not null,
  input_tokens bigint,
  cached_input_tokens bigint,
  cache_write_tokens bigint,
  output_tokens bigint,
  reasoning_tokens bigint,
  usage_details jsonb,
  price_version text,
  cost numeric(38, 12) check (cost >= 0),
  charge_lines json,
  attempts integer not null,
  attempt_log json,
  started_at timestamptz not null,
  duration_ms bigint not null,
  unique (batch_id, line)
);

-- What had no price, in the form of calls. Null where there is nothing.
alter table video_jobs add column usage_details jsonb;
create index video_jobs_unpriced on video_jobs (id) where cost is null and settled_at is not null;

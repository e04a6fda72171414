-- References: pictures, films and sounds that were uploaded to be used in generations. Any key of the space
-- may use one. The id is also the name of the blob.
create table reference_files (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  owner text collate "C" not null,
  track text not null check (track in ('file', 'managed')),
  kind text not null check (kind in ('image', 'video', 'audio')),
  mime_type text not null,
  bytes bigint not null check (bytes > 0),
  sha256 text collate "C" not null,
  created_at timestamptz not null,
  -- Moved on when it is used.
  expires_at timestamptz not null
);
create index reference_files_by_expiry on reference_files (expires_at);

-- What a provider calls a managed reference that was registered with it. While there is no asset, whoever
-- has the token is registering it, until its lease ends.
create table provider_assets (
  reference_id text collate "C" not null references reference_files (id) on delete cascade,
  provider text not null,
  token text collate "C" not null,
  lease_until timestamptz not null,
  asset text,
  created_at timestamptz not null,
  primary key (reference_id, provider)
);

-- Videos that are made, or were.
create table video_jobs (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  owner text collate "C" not null,
  key_id text collate "C" not null,
  member_id text collate "C",
  model text collate "C" not null,
  -- What was asked, until the job has ended. It has references in place of data.
  request json,
  metadata json,
  status text not null check (status in ('queued', 'in_progress', 'succeeded', 'failed', 'cancelled', 'expired')),
  progress integer check (progress between 0 and 100),
  cancel_asked boolean not null default false,
  error json,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  expires_at timestamptz not null,
  -- Where it is made. `provider_sent_at` is written before the provider is asked, its id after the answer.
  provider text,
  upstream_model text,
  provider_sent_at timestamptz,
  provider_job_id text,
  -- What was used and what it cost; null is not known, which is not zero.
  usage json,
  usage_source text check (usage_source in ('provider', 'asked', 'measured')),
  price_version text,
  charge json,
  cost numeric(38, 12) check (cost >= 0),
  settled_at timestamptz,
  settled_month text collate "C",
  entry_id bigint references journal (id),
  unique (provider, provider_job_id),
  constraint video_jobs_sent check (
    (provider is null) = (provider_sent_at is null) and (provider is null) = (upstream_model is null) and
    (provider is not null or provider_job_id is null)),
  constraint video_jobs_ended check (
    (status in ('queued', 'in_progress')) = (completed_at is null)),
  -- Nothing is charged before the end, and nothing twice.
  constraint video_jobs_settled check (
    (settled_at is not null) = (settled_month is not null) and
    (settled_at is null or completed_at is not null)),
  constraint video_jobs_charged check (
    (entry_id is not null) = (settled_at is not null and coalesce(cost, 0) > 0))
);
create index video_jobs_by_space on video_jobs (space_id, id);

-- The files that jobs leave behind. A file that is ready has its bytes in our own blob, which has its id as
-- its name.
create table media (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  owner text collate "C" not null,
  job_id text collate "C" not null references video_jobs (id) on delete cascade,
  position integer not null,
  kind text not null check (kind in ('video')),
  status text not null check (status in ('pending', 'ready', 'failed')),
  mime_type text not null,
  bytes bigint check (bytes > 0),
  sha256 text collate "C",
  duration_seconds numeric(12, 3),
  width integer,
  height integer,
  created_at timestamptz not null,
  expires_at timestamptz,
  unique (job_id, position),
  constraint media_ready check ((status = 'ready') = (sha256 is not null and bytes is not null and expires_at is not null))
);
create index media_by_expiry on media (expires_at);

-- What this installation signs with: one row for each use, made at the first need and the same for all
-- processes.
create table secrets (
  use text collate "C" primary key,
  secret bytea not null,
  created_at timestamptz not null
);

-- What was answered to a request that carried an Idempotency-Key, or who is busy answering it. While there
-- is no outcome, `expires_at` is the end of the holder's lease; after that, of the time it is repeated.
create table idempotency_keys (
  space_id text collate "C" not null references spaces (id),
  owner text collate "C" not null,
  operation text collate "C" not null,
  key text collate "C" not null,
  -- Of the present holder: whoever lost the lease can decide nothing more.
  token text collate "C" not null,
  digest text collate "C",
  outcome text,
  expires_at timestamptz not null,
  primary key (space_id, owner, operation, key),
  check ((digest is null) = (outcome is null))
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

-- Files of batches: what was uploaded, and what batches leave behind. The owner is a person, or a shared key.
create table files (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  owner text collate "C" not null,
  purpose text not null check (purpose in ('batch', 'batch_output')),
  filename text not null,
  bytes bigint check (bytes >= 0),
  sha256 text collate "C" not null,
  blob text collate "C" not null unique,
  -- Of uploaded files: what their rows are for.
  row_count integer,
  model text collate "C",
  endpoint text collate "C",
  embedding_inputs integer,
  -- Of the files that a batch leaves behind.
  batch_id text collate "C",
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check (purpose <> 'batch' or (row_count is not null and model is not null and endpoint is not null
    and embedding_inputs is not null)),
  check ((purpose = 'batch_output') = (batch_id is not null))
);
create index files_by_content on files (space_id, owner, sha256, created_at);
create index files_by_expiry on files (expires_at);

-- Blobs that are being written and that no row refers to yet. One whose writer has been silent for its
-- lease is doomed first and deleted then, so that a writer who was only slow can no longer use it.
create table pending_blobs (
  name text collate "C" primary key,
  lease_until timestamptz not null,
  doomed boolean not null default false
);
create index pending_blobs_by_lease on pending_blobs (lease_until);

-- expand
-- locks: nothing that calls use
-- takes: a moment
-- Pods and CI jobs that call with a token of their issuer. A program of the previous version knows no such token: it
-- rejects it, and everything else works.

-- Which subjects a space may have rules for: one subject, or a prefix such as `system:serviceaccount:team-a:*`.
create table workload_subjects (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  issuer text collate "C" not null,
  subjects text collate "C" not null,
  created_at timestamptz not null,
  unique (issuer, subjects)
);
create index workload_subjects_by_space on workload_subjects (space_id, id);

-- A rule: which tokens act as the key. `claims`: names and values that they must have too.
create table workloads (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  key_id text collate "C" not null references keys (id),
  issuer text collate "C" not null,
  subject text collate "C" not null,
  claims jsonb not null default '{}',
  created_by text not null,
  created_at timestamptz not null
);
create index workloads_by_subject on workloads (issuer, subject);
create index workloads_by_space on workloads (space_id, id);
create index workloads_by_key on workloads (key_id);
create trigger workloads_changed before insert or delete or update on workloads
  for each statement execute function access_changed();

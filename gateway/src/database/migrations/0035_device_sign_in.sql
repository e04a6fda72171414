-- expand
-- locks: people, for a moment
-- takes: a moment
-- Sign-ins of command lines that a person confirms in a browser, and links for the first operator. A process of the
-- previous version has neither.
create table device_sign_ins (
  -- The digest of a secret that only the command line knows.
  challenge text collate "C" primary key,
  -- The digest of the code that people compare.
  code_digest text collate "C" not null unique,
  -- What the command line calls its machine, and the network address that it came from.
  machine text not null,
  address text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Who confirmed it, how their session began and when it ends; null: nobody has.
  person_id text collate "C" references people (id) on delete cascade,
  opened_by text,
  session_expires_at timestamptz,
  check ((person_id is null) = (opened_by is null) and (person_id is null) = (session_expires_at is null))
);
create index device_sign_ins_by_expiry on device_sign_ins (expires_at);

-- Only digests of their codes are kept. None of them works once there is an operator.
create table first_operator_links (
  digest text collate "C" primary key,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

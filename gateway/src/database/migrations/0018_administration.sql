-- The Idempotency-Keys of administration. `key` is the digest of the key, `answer` is encrypted with the caller's
-- own credential.
create table admin_repeats (
  actor text collate "C" not null,
  key text collate "C" not null,
  digest text collate "C" not null,
  answer text not null,
  expires_at timestamptz not null,
  primary key (actor, key)
);
create index admin_repeats_by_expiry on admin_repeats (expires_at);

-- Sign-in through identity providers (issuers), invitations by link, and tokens for programs that administer.

-- An operator or an issuer vouched for the e-mail address of a confirmed person, so they see every membership of
-- that address. Anyone else sees only the memberships whose invitation they accepted, and is never an operator.
alter table people
  add column confirmed boolean not null default true,
  -- The issuer whose groups made the person an operator; null: made by an operator.
  add column operator_issuer text,
  add constraint people_operator_confirmed check (confirmed or not is_operator);

-- `person_id`: the person who accepted the invitation; null: found by e-mail address.
-- `issuer`: the issuer whose groups created the membership, which also changes and removes it; null: made by hand.
alter table members
  add column person_id text collate "C" references people (id),
  add column issuer text;
create index members_by_acceptance on members (person_id) where removed_at is null and person_id is not null;

-- `password`, `link` or `issuer:<name>`. A way that is switched off also ends its sessions.
alter table sessions add column opened_by text not null default 'password';

-- `shell`, `console` or `issuer:<name>`. The holder of a link with a challenge must also know its verifier.
alter table sign_in_links
  add column made_by text not null default 'shell',
  add column challenge text;

-- The account that a person has at an issuer (by its URL). Another account with the same e-mail address is rejected
-- until an operator vouches for the person again.
create table identities (
  person_id text collate "C" not null references people (id) on delete cascade,
  issuer text not null,
  subject text not null,
  created_at timestamptz not null,
  primary key (person_id, issuer)
);

-- Sign-ins that came back from an issuer, by the digest of their secret, so that each is used once.
create table finished_sign_ins (
  digest text collate "C" primary key,
  expires_at timestamptz not null
);
create index finished_sign_ins_by_expiry on finished_sign_ins (expires_at);

-- Only a digest of an invitation's code is kept.
create table invitations (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  email text not null,
  role text not null check (role in ('admin', 'member')),
  digest text collate "C" not null unique,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  check (accepted_at is null or revoked_at is null)
);
create index invitations_by_space on invitations (space_id, id);
-- A new invitation of the same address replaces the open one.
create unique index invitations_open on invitations (space_id, lower(email))
  where accepted_at is null and revoked_at is null;
create index invitations_by_email on invitations (lower(email)) where accepted_at is null and revoked_at is null;

-- Tokens of programs that administer: one space, or (null) the installation. Only a digest is kept.
create table admin_tokens (
  id text collate "C" primary key,
  name text not null,
  digest text collate "C" not null unique,
  hint text not null,
  space_id text collate "C" references spaces (id),
  access text not null check (access in ('read', 'write')),
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create unique index admin_tokens_by_name on admin_tokens (coalesce(space_id, ''), name) where revoked_at is null;

-- People who sign in, their sessions, and what they look at: projects and builds.

-- A person is an e-mail. Memberships stay what they were, rows of `members` with that e-mail; a row here
-- exists once somebody gave the person a way to sign in. An operator sees every space.
create table people (
  id text collate "C" primary key,
  email text not null,
  nickname text not null,
  -- A PHC string; null: no password opens it.
  password_hash text,
  is_operator boolean not null default false,
  created_at timestamptz not null
);
create unique index people_by_email on people (lower(email));
create index members_by_person on members (lower(email)) where removed_at is null;

-- Only a digest of a session's token is kept.
create table sessions (
  digest text collate "C" primary key,
  person_id text collate "C" not null references people (id) on delete cascade,
  user_agent text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_seen_at timestamptz not null
);
create index sessions_by_person on sessions (person_id);
create index sessions_by_last_seen on sessions (last_seen_at);

-- Links that sign in once.
create table sign_in_links (
  digest text collate "C" primary key,
  person_id text collate "C" not null references people (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sign_in_links_by_expiry on sign_in_links (expires_at);

-- How often signing in failed, for an e-mail (as a digest: people type passwords into the wrong field)
-- and for an address. Attempts under way count until they succeed.
create table sign_in_attempts (
  subject text collate "C" primary key,
  minute_from timestamptz not null,
  minute_count integer not null,
  hour_from timestamptz not null,
  hour_count integer not null
);
create index sign_in_attempts_by_hour on sign_in_attempts (hour_from);

-- The id stands in addresses, file names and Kubernetes labels. It is never given again, so that nobody
-- inherits the logs of a removed project.
create table projects (
  id text collate "C" primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  space_id text collate "C" not null references spaces (id),
  name text not null,
  created_at timestamptz not null,
  removed_at timestamptz
);
create unique index projects_by_name on projects (space_id, name) where removed_at is null;

-- The text of its log is the file builds/<id>.log in the data folder.
create table builds (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id),
  status text not null check (status in ('running', 'succeeded', 'failed')),
  started_at timestamptz not null,
  finished_at timestamptz,
  check ((status = 'running') = (finished_at is null))
);
create index builds_by_project on builds (project_id, id);

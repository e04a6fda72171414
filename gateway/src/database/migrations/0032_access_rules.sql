-- expand
-- locks: members, sessions and admin_tokens for a moment; keys while the audit log is read
-- takes: a moment, and about a second for each million lines of the audit log
-- Which ids of projects a space has, rules of members, ends that administrators set, and who answers for a token. A
-- process of the previous version ignores all of them: it applies no rule of a member except the month limit.

-- The ids that an operator gave a space, beside those of its projects: one id, or a prefix such as `shop-*`.
create table project_ids (
  ids text collate "C" primary key check (ids ~ '^[a-z0-9][a-z0-9-]{0,62}$' or ids ~ '^[a-z0-9][a-z0-9-]{0,60}-\*$'),
  space_id text collate "C" not null references spaces (id),
  created_at timestamptz not null
);
create index project_ids_by_space on project_ids (space_id, ids);

-- For all keys of the member together; null: no rule.
alter table members
  add column models text[],
  add column requests_per_minute integer,
  add column tokens_per_minute integer,
  add column expires_at timestamptz;

-- Who answers for the token instead of its creator, who has lost the right to it.
alter table admin_tokens add column kept_by text;

-- False for a session of a previous version, whose cookie has no prefix over https either.
alter table sessions add column host_cookie boolean not null default false;

-- The end that an administrator set: no member moves it by rotating the key.
alter table keys add column ends_at timestamptz;
update keys k set ends_at = k.expires_at
from (
  select distinct on (space_id, subject) space_id, subject, action, at from audit_log
  where action in ('keys.expire', 'keys.rotate') order by space_id, subject, at desc, id desc
) last
where last.action = 'keys.expire' and last.space_id = k.space_id and last.subject = k.name
  and last.at >= k.created_at and k.revoked_at is null;

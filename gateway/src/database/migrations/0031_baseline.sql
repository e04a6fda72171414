-- contract
-- locks: nothing that exists
-- takes: a moment
-- The schema of version 31, in one step. Databases from before it cannot be migrated; nothing was released then.
-- Indexes stand in the order in which they were added: without statistics, the planner prefers the newer of two that cost
-- the same.

-- What constraints, triggers and statistics need. Their texts are those of that time: functions/ replaces them, except
-- moves_fit, which a later migration drops.

-- The database reads the text of a constraint again in every statement, and keeps a function. As plain text, the
-- constraints of the journal were half of what an entry cost.
create function sum_of(parts numeric[]) returns numeric language plpgsql immutable as $$
declare
  total numeric := 0;
begin
  for i in 1 .. cardinality(parts) loop
    total := total + parts[i];
  end loop;
  return total;
end $$;

-- Whether an entry of a kind moves the accounts that it may move, and in the direction it may.
create function moves_fit(
  kind text, issued numeric, promo numeric, paid numeric, overage numeric, spent numeric, expired numeric, invoiced numeric
) returns boolean language plpgsql immutable as $$
begin
  return case kind
    when 'grant' then issued < 0 and promo >= 0 and paid >= 0
      and overage = 0 and spent = 0 and expired = 0 and invoiced = 0
    when 'charge' then spent > 0 and promo <= 0 and paid <= 0 and overage <= 0
      and issued = 0 and expired = 0 and invoiced = 0
    when 'correction' then spent <> 0 and issued = 0 and expired = 0 and invoiced = 0
    when 'expiry' then expired > 0 and promo < 0
      and issued = 0 and paid = 0 and overage = 0 and spent = 0 and invoiced = 0
    when 'invoice' then invoiced < 0 and overage > 0
      and issued = 0 and promo = 0 and paid = 0 and spent = 0 and expired = 0
    else false end;
end $$;

create function only_appended() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are only ever added', tg_table_name;
end $$;

create function korean_day(at timestamptz) returns date language sql immutable as
  $$ select ((at at time zone 'UTC') + interval '9 hours')::date $$;

create function access_changed() returns trigger language plpgsql as $$
begin
  update access_epoch set epoch = epoch + 1;
  perform pg_notify('tollgate_access', '');
  return null;
end $$;

create function job_due() returns trigger language plpgsql as $$
begin
  perform pg_notify('tollgate_jobs', '');
  return null;
end $$;

create table spaces (
  id text collate "C" primary key,
  name text not null unique,
  overage_allowed boolean not null,
  created_at timestamptz not null,
  keep_responses boolean not null default true,
  blocked_at timestamptz,
  requests_per_minute integer check (requests_per_minute > 0),
  tokens_per_minute integer check (tokens_per_minute > 0),
  aliases jsonb not null default '{}'
);
create trigger spaces_changed before insert or delete or update on spaces
  for each statement execute function access_changed();

-- A person is an e-mail. Memberships stay what they were, rows of `members` with that e-mail; a row here
-- exists once somebody gave the person a way to sign in. An operator sees every space.
create table people (
  id text collate "C" primary key,
  email text not null,
  nickname text not null,
  -- A PHC string; null: no password opens it.
  password_hash text,
  is_operator boolean not null default false,
  created_at timestamptz not null,
  -- An operator or an issuer vouched for the e-mail address of a confirmed person, so they see every membership of
  -- that address. Anyone else sees only the memberships whose invitation they accepted, and is never an operator.
  confirmed boolean not null default true,
  -- The issuer whose groups made the person an operator; null: made by an operator.
  operator_issuer text,
  constraint people_operator_confirmed check (confirmed or not is_operator)
);
create unique index people_by_email on people (lower(email));
create index people_in_email_order on people (lower(email) collate "C", id);

create table members (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  email text not null,
  nickname text not null,
  role text not null check (role in ('admin', 'member')),
  created_at timestamptz not null,
  removed_at timestamptz,
  month_limit numeric(38, 12) check (month_limit >= 0),
  -- `person_id`: the person who accepted the invitation; null: found by e-mail address.
  -- `issuer`: the issuer whose groups created the membership, which also changes and removes it; null: made by hand.
  person_id text collate "C" references people (id),
  issuer text
);
create unique index members_by_email on members (space_id, lower(email)) where removed_at is null;
create index members_by_person on members (lower(email)) where removed_at is null;
create index members_by_acceptance on members (person_id) where removed_at is null and person_id is not null;
create trigger members_changed before insert or delete or update on members
  for each statement execute function access_changed();

-- Only a digest of a key is kept. A personal key belongs to its member, a shared one to itself.
create table keys (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  kind text not null check (kind in ('personal', 'shared', 'management')),
  member_id text collate "C" references members (id),
  name text not null,
  digest text collate "C" not null unique,
  hint text not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null,
  month_limit numeric(38, 12) check (month_limit >= 0),
  -- A rotated key keeps its id, and with it what it spent; its former text works for a while beside the new one.
  created_by text collate "C" references members (id),
  disabled_at timestamptz,
  models text[],
  former_digest text collate "C" unique,
  former_until timestamptz,
  requests_per_minute integer check (requests_per_minute > 0),
  tokens_per_minute integer check (tokens_per_minute > 0),
  check ((kind = 'personal') = (member_id is not null)),
  constraint keys_former check ((former_digest is null) = (former_until is null))
);
create unique index keys_by_name on keys (space_id, name) where revoked_at is null;
create index keys_in_name_order on keys (space_id, lower(name) collate "C", id);
create index keys_by_space on keys (space_id, id);
create index keys_by_member on keys (member_id) where member_id is not null;
create trigger keys_changed before insert or delete or update on keys
  for each statement execute function access_changed();

-- Every process remembers keys. This number moves with each change to what they remember, so that
-- asking for it tells whether the memory is still true; the notification only saves the wait.
create table access_epoch (epoch bigint not null);
insert into access_epoch values (1);

-- One row per space: its lock while units move, and what it owes beyond the units it held.
create table accounts (
  space_id text collate "C" primary key references spaces (id),
  overage_accrued numeric(38, 12) not null default 0 check (overage_accrued >= 0)
);

create table grants (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  kind text not null check (kind in ('promo', 'paid')),
  amount numeric(38, 12) not null check (amount > 0),
  remaining numeric(38, 12) not null,
  expires_at timestamptz,
  note text not null,
  created_at timestamptz not null,
  check (remaining >= 0 and remaining <= amount),
  check (kind = 'promo' or (expires_at is null))
);
create index grants_with_units on grants (space_id) where remaining > 0;
create index grants_by_space on grants (space_id, id);

-- An entry is one row, its columns are the accounts of the space, and they sum to zero:
-- issued    where granted units come from (the negative of all that was given)
-- promo, paid   units the space holds; which grants they are of is in grant_ids and grant_parts
-- overage   what it owes, as a negative
-- spent     what its calls cost
-- expired   promo units nobody used in time
-- invoiced  overage that was billed, as a negative
-- `ref` names what the entry is about: a grant, a call, an invoice. The calls of a charge name their entry.
create table journal (
  id bigint generated by default as identity,
  space_id text collate "C" not null,
  kind text not null,
  ref text collate "C" not null default '',
  issued numeric(38, 12) not null default 0,
  promo numeric(38, 12) not null default 0,
  paid numeric(38, 12) not null default 0,
  overage numeric(38, 12) not null default 0,
  spent numeric(38, 12) not null default 0,
  expired numeric(38, 12) not null default 0,
  invoiced numeric(38, 12) not null default 0,
  grant_ids text[] not null default '{}',
  grant_parts numeric(38, 12)[] not null default '{}',
  note text not null default '',
  at timestamptz not null,
  primary key (space_id, id),
  constraint journal_balances check (issued + promo + paid + overage + spent + expired + invoiced = 0),
  constraint journal_kinds check (moves_fit(kind, issued, promo, paid, overage, spent, expired, invoiced)),
  constraint journal_names_grants check (
    cardinality(grant_ids) = cardinality(grant_parts) and sum_of(grant_parts) = promo + paid)
);
create index journal_by_time on journal (space_id, at, id);
-- Nearly all entries are charges; the others are found without reading them.
create index journal_except_charges on journal (space_id, at, id) where kind <> 'charge';
create trigger journal_only_appended before delete or update or truncate on journal
  for each statement execute function only_appended();

-- The prices of a model under a version are frozen once they have been used.
create table price_sheets (
  version text not null,
  model text not null,
  prices json not null,
  created_at timestamptz not null,
  primary key (version, model)
);

-- The prices of providers that were used. The prices of a model under a version never change.
create table provider_price_sheets (
  version text not null,
  model text not null,
  prices json not null,
  created_at timestamptz not null,
  primary key (version, model)
);

-- One row per call that reached a model: its record and its charge. No foreign keys: the row is
-- written on the hot path from facts already checked, and outlives what it names.
-- cost null means "not known", never zero.
create table calls (
  id text collate "C" not null,
  space_id text collate "C" not null,
  key_id text collate "C" not null,
  member_id text collate "C",
  endpoint text not null,
  model text not null,
  provider text,
  upstream_model text,
  streamed boolean not null,
  outcome text not null check (outcome in ('completed', 'partial', 'failed')),
  problem text,
  finish_reason text,
  usage_source text not null check (usage_source in ('provider', 'estimated', 'none')),
  input_tokens bigint,
  cached_input_tokens bigint,
  cache_write_tokens bigint,
  output_tokens bigint,
  reasoning_tokens bigint,
  price_version text,
  cost numeric(38, 12) check (cost >= 0),
  charge_lines json,
  attempts integer not null,
  started_at timestamptz not null,
  first_byte_ms integer,
  duration_ms integer not null,
  charged_at timestamptz not null,
  month text not null,
  images bigint,
  image_input_tokens bigint,
  -- What an entry charged is the sum of the calls that name it.
  entry_id bigint,
  -- Every attempt of a call that needed more than one: [{"status", "outcome", "ms"}].
  attempt_log json,
  -- What a provider counted beyond the usual tokens: lifetimes, modalities, tools, the tier. Null: nothing.
  usage_details jsonb,
  -- What the provider will bill, with its currency and the version of its prices. Null: unknown.
  provider_cost numeric(38, 12),
  provider_currency text,
  provider_price_version text,
  -- The name in a request, if another model answered it.
  requested_model text,
  primary key (space_id, id)
);
create index calls_by_key on calls (key_id, id);
create index calls_not_completed on calls (space_id, id) where outcome <> 'completed';
-- Calls without a price, for the list of missing prices.
create index calls_unpriced on calls (id) where cost is null and outcome <> 'failed';
-- The calls of a day are found by their ids, which have the time of the start. Only these were charged much later.
create index calls_charged_late on calls (space_id, id) where (charged_at - started_at) > interval '10 minutes';
-- For the places that know only the id, and for lists of all spaces.
create index calls_by_id on calls (id);
create statistics calls_days on (korean_day(charged_at)) from calls;

-- What a call should have cost, where that was corrected later. The call itself stays as it was.
create table corrections (
  id bigint generated always as identity primary key,
  call_id text collate "C" not null,
  entry_id bigint,
  cost_before numeric(38, 12),
  cost_after numeric(38, 12) not null check (cost_after >= 0),
  note text not null,
  at timestamptz not null,
  space_id text collate "C" not null,
  constraint corrections_call_fkey foreign key (space_id, call_id) references calls (space_id, id),
  constraint corrections_entry_fkey foreign key (space_id, entry_id) references journal (space_id, id)
);
create index corrections_by_call on corrections (call_id, id);

-- What a key spent on a model in a month: usage reports and limits read this, not the calls.
create table month_totals (
  space_id text collate "C" not null,
  month text collate "C" not null,
  key_id text collate "C" not null,
  model text collate "C" not null,
  requests bigint not null,
  unpriced bigint not null,
  cost numeric(38, 12) not null,
  -- When a key was last charged for a model. Null: before this column existed and unknown.
  last_at timestamptz,
  primary key (space_id, month, key_id, model)
);
create index month_totals_by_key on month_totals (key_id, month);

-- What a space spent on a model on a day (KST).
create table day_totals (
  space_id text collate "C" not null,
  day date not null,
  model text collate "C" not null,
  requests bigint not null,
  unpriced bigint not null,
  cost numeric(38, 12) not null,
  primary key (space_id, day, model)
);

-- By everything that a report adds up by. Only calls that count: with a known cost, not failed, never corrected.
create table removed_calls (
  space_id text collate "C" not null,
  -- In KST, as in day_totals.
  day date not null,
  key_id text collate "C" not null,
  model text collate "C" not null,
  utc_day date not null,
  -- Empty: none.
  provider text collate "C" not null,
  upstream_model text collate "C" not null,
  currency text collate "C" not null,
  -- Whether the cost at the provider is known.
  billed boolean not null,
  requests bigint not null,
  estimated bigint not null,
  cost numeric(38, 12) not null,
  provider_cost numeric(38, 12) not null,
  primary key (space_id, day, key_id, model, utc_day, provider, upstream_model, currency, billed)
);
create index removed_calls_by_day on removed_calls (day);

-- What of an entry of the journal was charged for removed calls.
create table removed_entries (
  entry_id bigint primary key,
  cost numeric(38, 12) not null
);

-- What each process counted, so that the others know of it. Nothing is owed for these numbers and they
-- are old after two minutes, so they are not worth a write-ahead log: a crash of the database empties them.
create unlogged table rate_counts (
  -- Minutes since 1970.
  minute bigint not null,
  -- The id of a key or of a space.
  subject text collate "C" not null,
  process text collate "C" not null,
  requests bigint not null,
  tokens bigint not null,
  primary key (subject, minute, process)
);
create index rate_counts_by_minute on rate_counts (minute);

-- Requests that were answered with an error: what a person with an `error_ref` in hand wants to know.
-- Kept for 30 days. `facts` are the numbers of that moment: the limit, what was spent, the cap.
create table refusals (
  id text collate "C" primary key,
  at timestamptz not null,
  space_id text collate "C",
  key_id text collate "C",
  endpoint text not null,
  code text not null,
  status integer not null,
  detail text not null,
  param text,
  facts json
);
create index refusals_by_time on refusals (at);
create index refusals_by_space on refusals (space_id, id) where space_id is not null;
create index refusals_by_key on refusals (key_id, id) where key_id is not null;

-- Only a digest of a session's token is kept.
create table sessions (
  digest text collate "C" primary key,
  person_id text collate "C" not null references people (id) on delete cascade,
  user_agent text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- `password`, `link` or `issuer:<name>`. A way that is switched off also ends its sessions.
  opened_by text not null default 'password'
);
create index sessions_by_person on sessions (person_id);
create index sessions_by_last_seen on sessions (last_seen_at);

-- Links that sign in once.
create table sign_in_links (
  digest text collate "C" primary key,
  person_id text collate "C" not null references people (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- `shell`, `console` or `issuer:<name>`. The holder of a link with a challenge must also know its verifier.
  made_by text not null default 'shell',
  challenge text
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

-- Who did what: written in the transaction that does it.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  space_id text collate "C",
  subject text not null,
  before json,
  after json
);
create index audit_log_by_space_and_time on audit_log (space_id, at, id);
create index audit_log_by_time on audit_log (at, id);
create trigger audit_log_only_appended before delete or update or truncate on audit_log
  for each statement execute function only_appended();

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

-- What this installation signs with: one row for each use, made at the first need and the same for all
-- processes.
create table secrets (
  use text collate "C" primary key,
  secret bytea not null,
  created_at timestamptz not null
);

-- Responses that later calls may refer to, in the scope of their creator: the space and the owner of the key.
create table kept_responses (
  id text collate "C" primary key,
  space_id text collate "C" not null,
  owner text collate "C" not null,
  previous_id text collate "C",
  -- Lists of items as JSON text: they are sent on as they came, and never searched.
  input text not null,
  output text not null,
  expires_at timestamptz not null,
  bytes bigint not null default 0,
  -- A response as it was answered, without its output and its cost. Null for those that were kept before.
  head text,
  -- Null: it has an answer. Otherwise running, failed or cancelled.
  state text
);
create index kept_responses_by_expiry on kept_responses (expires_at);
create index kept_responses_by_space on kept_responses (space_id, expires_at, id);

-- Which response an item of an answer belongs to.
create table kept_items (
  id text collate "C" not null,
  response_id text collate "C" not null references kept_responses (id) on delete cascade,
  primary key (id, response_id)
);
create index kept_items_by_response on kept_items (response_id);

-- How much each space keeps: changed in every transaction that adds or deletes responses, and locked in the order of
-- `space_id` before any response is deleted.
create table kept_usage (
  space_id text collate "C" primary key,
  responses bigint not null default 0,
  -- Of responses and of their media.
  bytes bigint not null default 0
);

-- Large media of kept responses: stored once for each owner, however many responses hold them.
create table kept_media (
  -- Also the name of its blob.
  id text collate "C" primary key,
  space_id text collate "C" not null,
  owner text collate "C" not null,
  sha256 text collate "C" not null,
  bytes bigint not null,
  unique (space_id, owner, sha256)
);

-- Where in a response a medium stands: the list and the JSON pointer in it, such as input/0/content/1/image_url.
create table kept_media_uses (
  response_id text collate "C" not null references kept_responses (id) on delete cascade,
  place text not null,
  media_id text collate "C" not null references kept_media (id),
  primary key (response_id, place)
);
create index kept_media_uses_by_media on kept_media_uses (media_id);

-- What was answered to a request that carried an Idempotency-Key, or who is busy answering it. While there
-- is no outcome, `expires_at` is the end of the holder's lease; after that, of the time it is repeated.
create table idempotency_keys (
  space_id text collate "C" not null references spaces (id),
  owner text collate "C" not null,
  operation text collate "C" not null,
  key text collate "C" not null,
  -- Of the present holder: a process that lost the lease can decide nothing more.
  token text collate "C" not null,
  digest text collate "C",
  outcome text,
  expires_at timestamptz not null,
  primary key (space_id, owner, operation, key),
  check ((digest is null) = (outcome is null))
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

-- Calls with an Idempotency-Key and their answers.
create table repeatable_calls (
  space_id text collate "C" not null references spaces (id),
  -- The member of a personal key; the key itself if it is shared.
  owner text collate "C" not null,
  operation text not null,
  key text not null,
  -- Of the request: its operation, its query and its body.
  digest text not null,
  -- The request that runs the call; also the id of its charge.
  call_id text collate "C" not null,
  state text not null check (state in ('running', 'answered', 'not_kept', 'rejected')),
  streamed boolean not null,
  -- Of an answer: its headers as JSON. Of a rejected request: the problem.
  head text,
  -- The record of an answered call, until it is charged.
  charge text,
  charged boolean not null default false,
  bytes bigint not null default 0,
  -- The process that runs the call renews it. When it ends, another process may take over.
  lease_until timestamptz not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- A call that nobody has to wait for: it is never run again, and if its process died, another one declares its end.
  background boolean not null default false,
  -- Its owner asked for its end.
  cancel boolean not null default false,
  -- Who called which model, as JSON: for the record of a background call whose process died.
  facts text,
  primary key (space_id, owner, operation, key),
  unique (space_id, call_id)
);
create index repeatable_calls_by_expiry on repeatable_calls (expires_at);
create index repeatable_calls_uncharged on repeatable_calls (lease_until) where charge is not null;
create index repeatable_calls_background on repeatable_calls (lease_until) where background and state = 'running';

create table repeatable_call_parts (
  space_id text collate "C" not null,
  call_id text collate "C" not null,
  -- The number of its first event, from 1 on. An answer in one piece is one event.
  first_event integer not null,
  events integer not null,
  -- One character per byte.
  body text not null,
  primary key (space_id, call_id, first_event),
  foreign key (space_id, call_id) references repeatable_calls (space_id, call_id) on delete cascade
);

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
create index files_by_expiry on files (expires_at);
create index files_by_content on files (sha256, space_id, owner, created_at);
create index files_by_owner on files (space_id, owner, purpose, id);

-- Blobs that are being written and that no row refers to yet. One whose writer has been silent for its
-- lease is doomed first and deleted then, so that a writer who was only slow can no longer use it.
create table pending_blobs (
  name text collate "C" primary key,
  lease_until timestamptz not null,
  doomed boolean not null default false
);
create index pending_blobs_by_lease on pending_blobs (lease_until);

-- While a row here is valid, no blob is deleted: a backup copies the blobs that its snapshot names.
create table blob_holds (
  id text collate "C" primary key,
  until timestamptz not null
);

-- Work that outlives the process that began it. A job is about one subject; the process that works on it holds a
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
create trigger jobs_due after insert on jobs for each statement execute function job_due();

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
  entry_id bigint,
  -- How many lines the provider was sent; those that failed before are not among them.
  provider_lines integer,
  -- Why what it answered cannot be relied on. While it stands the batch is not settled.
  doubt text,
  -- One bill for each provider, model, currency and version: the lines, how many have an unknown cost, and the sum
  -- of the others.
  provider_bills jsonb,
  constraint batches_entry_fkey foreign key (space_id, entry_id) references journal (space_id, id),
  constraint batches_charged check ((entry_id is not null) = (coalesce(settled_units, 0) > 0)),
  constraint batches_files check (
    settlement_status = 'settled' or (output_file_id is null and error_file_id is null)),
  constraint batches_provider check (
    (provider is null) = (provider_sent_at is null) and (provider is null) = (provider_lines is null) and
    (provider is not null or (provider_file_id is null and provider_batch_id is null))),
  -- Nothing is settled without its units, no file is shown before it, and no units are taken twice.
  constraint batches_settled check (
    (settlement_status = 'settled') = (settled_units is not null) and
    (settled_units is not null) = (settled_at is not null) and
    (settled_at is not null) = (settled_month is not null) and
    (settled_month is not null) = (settled_requests is not null))
);
create index batches_by_space on batches (space_id, id);
-- Their input is kept until they are settled.
create index batches_unsettled_by_input on batches (input_file_id) where settlement_status <> 'settled';
create index batches_by_owner on batches (space_id, owner, id);
create index batches_quarantined on batches (id) where settlement_status = 'quarantined';
-- How many batches of a space are not charged yet is read among all that were ever submitted.
create index batches_unsettled on batches (space_id, id) where settlement_status <> 'settled';

-- The lines that are done, until they stand in the files of their batch. One row for each, which a process that repeats a
-- line finds.
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
  provider text,
  upstream_model text,
  provider_cost numeric(38, 12),
  provider_currency text,
  provider_price_version text,
  primary key (batch_id, line)
);

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
create index reference_files_by_space on reference_files (space_id, id);
create index reference_files_by_owner on reference_files (space_id, owner, id);

-- What a provider calls a managed reference that was registered with it. While there is no asset, the holder
-- of the token is registering it, until its lease ends.
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
  progress integer check (progress >= 0 and progress <= 100),
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
  entry_id bigint,
  provider_cost numeric(38, 12),
  provider_currency text,
  provider_price_version text,
  -- What had no price, in the form of calls. Null where there is nothing.
  usage_details jsonb,
  unique (provider, provider_job_id),
  constraint video_jobs_entry_fkey foreign key (space_id, entry_id) references journal (space_id, id),
  constraint video_jobs_charged check (
    (entry_id is not null) = (settled_at is not null and coalesce(cost, 0) > 0)),
  constraint video_jobs_ended check (
    (status in ('queued', 'in_progress')) = (completed_at is null)),
  constraint video_jobs_sent check (
    (provider is null) = (provider_sent_at is null) and (provider is null) = (upstream_model is null) and
    (provider is not null or provider_job_id is null)),
  -- Nothing is charged before the end, and nothing twice.
  constraint video_jobs_settled check (
    (settled_at is not null) = (settled_month is not null) and
    (settled_at is null or completed_at is not null))
);
create index video_jobs_by_space on video_jobs (space_id, id);
create index video_jobs_by_owner on video_jobs (space_id, owner, id);
create index video_jobs_unpriced on video_jobs (id) where cost is null and settled_at is not null;

-- The files that jobs leave behind. A file that is ready has its bytes in our own blob, which has its id as
-- its name.
create table media (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  owner text collate "C" not null,
  job_id text collate "C" not null references video_jobs (id) on delete cascade,
  position integer not null,
  kind text not null check (kind = 'video'),
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
  constraint media_ready check (
    (status = 'ready') = (sha256 is not null and bytes is not null and expires_at is not null))
);
create index media_by_expiry on media (expires_at);
create index media_by_space on media (space_id, id);
create index media_by_owner on media (space_id, owner, id);

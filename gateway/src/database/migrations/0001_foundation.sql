-- Spaces, people, keys.

create table spaces (
  id text collate "C" primary key,
  name text not null unique,
  overage_allowed boolean not null,
  created_at timestamptz not null
);

create table members (
  id text collate "C" primary key,
  space_id text collate "C" not null references spaces (id),
  email text not null,
  nickname text not null,
  role text not null check (role in ('admin', 'member')),
  created_at timestamptz not null,
  removed_at timestamptz
);
create unique index members_by_email on members (space_id, lower(email)) where removed_at is null;

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
  check ((kind = 'personal') = (member_id is not null))
);
create unique index keys_by_name on keys (space_id, name) where revoked_at is null;

-- Every process remembers keys. This number moves with each change to what they remember, so that
-- asking for it tells whether the memory is still true; the notification only saves the wait.
create table access_epoch (epoch bigint not null);
insert into access_epoch values (1);

create function access_changed() returns trigger language plpgsql as $$
begin
  update access_epoch set epoch = epoch + 1;
  perform pg_notify('tollgate_access', '');
  return null;
end $$;

create trigger spaces_changed after insert or update or delete on spaces
  for each statement execute function access_changed();
create trigger members_changed after insert or update or delete on members
  for each statement execute function access_changed();
create trigger keys_changed after insert or update or delete on keys
  for each statement execute function access_changed();

-- Units.

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
  remaining numeric(38, 12) not null check (remaining >= 0 and remaining <= amount),
  expires_at timestamptz,
  note text not null,
  created_at timestamptz not null,
  check (kind = 'promo' or expires_at is null)
);
create index grants_with_units on grants (space_id) where remaining > 0;

-- The prices of a model under a version are frozen once they have been used.
create table price_sheets (
  version text not null,
  model text not null,
  prices json not null,
  created_at timestamptz not null,
  primary key (version, model)
);

-- Calls.

-- One row per call that reached a model: its record and its charge. No foreign keys: the row is
-- written on the hot path from facts already checked, and outlives what it names.
-- cost null means "not known", never zero.
create table calls (
  id text collate "C" primary key,
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
  month text not null
);

-- What a key spent on a model in a month: usage reports and limits read this, not the calls.
create table month_totals (
  space_id text collate "C" not null,
  month text collate "C" not null,
  key_id text collate "C" not null,
  model text collate "C" not null,
  requests bigint not null,
  unpriced bigint not null,
  cost numeric(38, 12) not null,
  primary key (space_id, month, key_id, model)
);

-- Records a group of calls in one statement: the rows, the units they take (promo units first, the
-- earliest to expire first, then paid ones, then overage) and the totals of the month. A call that
-- is already there changes nothing, so the same group may be sent again after a lost answer.
-- `incoming` holds the fields of the table in order, ended by U+001F, and the rows, ended by U+001E; an
-- empty field is null. Answers how many rows were new.
create function record_calls(incoming text, spaces text[], at timestamptz) returns integer language plpgsql as $$
declare
  added integer;
  debtors text[];
  debts numeric[];
  due numeric;
  part numeric;
  held record;
begin
  -- Whoever moves units of a space holds its account row; taking them in one order for all avoids
  -- deadlocks, and each statement below then sees what the holder before us committed.
  perform 1 from accounts where space_id = any (spaces) order by space_id for update;

  with fresh as (
    insert into calls
    select f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9]::boolean, f[10], f[11], f[12], f[13],
      f[14]::bigint, f[15]::bigint, f[16]::bigint, f[17]::bigint, f[18]::bigint, f[19],
      f[20]::numeric(38, 12), f[21]::json, f[22]::integer, f[23]::timestamptz, f[24]::integer,
      f[25]::integer, f[26]::timestamptz, f[27]
    from string_to_table(incoming, E'\x1e') as row, string_to_array(row, E'\x1f', '') as f
    on conflict (id) do nothing
    returning space_id, month, key_id, model, outcome, cost
  ), summed as (
    insert into month_totals as t (space_id, month, key_id, model, requests, unpriced, cost)
    select space_id, month, key_id, model, count(*), count(*) filter (where cost is null), coalesce(sum(cost), 0)
    from fresh where outcome <> 'failed' group by space_id, month, key_id, model
    on conflict (space_id, month, key_id, model) do update set
      requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost
  ), owed as (
    select space_id, sum(cost) as amount from fresh where cost > 0 group by space_id
  )
  select (select count(*) from fresh), array_agg(space_id), array_agg(amount)
  into added, debtors, debts from owed;

  -- A space seldom has more than one grant with units, so this is nearly always one row read and one
  -- written; a single statement for all spaces costs several times as much.
  for i in 1 .. coalesce(cardinality(debtors), 0) loop
    due := debts[i];
    for held in
      select id, remaining from grants
      where space_id = debtors[i] and remaining > 0 and (expires_at is null or expires_at > at)
      order by kind desc, expires_at nulls last, id
    loop
      part := least(held.remaining, due);
      update grants set remaining = remaining - part where id = held.id;
      due := due - part;
      exit when due = 0;
    end loop;
    if due > 0 then
      update accounts set overage_accrued = overage_accrued + due where space_id = debtors[i];
    end if;
  end loop;

  return added;
end $$;

-- expand
-- locks: spaces, for a moment
-- takes: a moment
-- Alerts: what happened (`events`), where it is sent (`alert_targets`), and each sending of one to the other (`deliveries`).
-- Nothing is written while there is no target. A program of the previous version raises no events.

-- `space_id` null: of the installation. A removed target stays for the log, without its address and secret.
create table alert_targets (
  id text collate "C" primary key,
  space_id text collate "C" references spaces (id),
  name text not null,
  type text not null check (type in ('webhook', 'slack', 'email')),
  address text not null,
  -- Signs what is sent to a webhook. It is stored as the other signing secrets are.
  secret bytea,
  -- The kinds of events that it gets; null: all.
  kinds text[],
  created_at timestamptz not null,
  removed_at timestamptz
);
create unique index alert_targets_by_name on alert_targets (coalesce(space_id, ''), name) where removed_at is null;

-- When a space is warned. Without a row: the defaults.
create table alert_settings (
  space_id text collate "C" primary key references spaces (id),
  limit_percents integer[] not null,
  balance_units numeric(38, 12) check (balance_units > 0),
  balance_percent integer check (balance_percent > 0),
  expiry_days integer[] not null
);

-- An event happens once for each subject, period and threshold.
create table events (
  id text collate "C" primary key,
  space_id text collate "C" references spaces (id),
  kind text collate "C" not null,
  subject text collate "C" not null,
  period text collate "C" not null,
  threshold text collate "C" not null,
  at timestamptz not null,
  data json not null
);
create unique index events_once on events (kind, subject, period, threshold, coalesce(space_id, ''));
create index events_by_time on events (at);

-- `space_id`: of the target. `status`: what the receiver answered last.
create table deliveries (
  id text collate "C" primary key,
  event_id text collate "C" not null references events (id),
  target_id text collate "C" not null references alert_targets (id),
  space_id text collate "C",
  state text not null check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  created_at timestamptz not null,
  last_at timestamptz,
  next_at timestamptz,
  status integer,
  problem text
);
create index deliveries_by_space on deliveries (coalesce(space_id, ''), id);
create index deliveries_by_event on deliveries (event_id);

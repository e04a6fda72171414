-- expand
-- locks: nothing that exists
-- takes: a moment
-- Calls with an Idempotency-Key and their answers. A process of the previous version ignores the header, as before.
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
  primary key (space_id, owner, operation, key),
  unique (space_id, call_id)
);
create index repeatable_calls_by_expiry on repeatable_calls (expires_at);
create index repeatable_calls_uncharged on repeatable_calls (lease_until) where charge is not null;

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

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

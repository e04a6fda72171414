-- Responses that later calls may refer to, in the scope of whoever made them: the space and the owner
-- of the key (the person of a personal key, the key itself of a shared one).

alter table spaces add column keep_responses boolean not null default true;

create table kept_responses (
  id text collate "C" primary key,
  space_id text collate "C" not null,
  owner text collate "C" not null,
  previous_id text collate "C",
  -- Lists of items as JSON text: they are sent on as they came, and never searched.
  input text not null,
  output text not null,
  expires_at timestamptz not null
);
create index kept_responses_by_expiry on kept_responses (expires_at);

-- Which response an item of an answer belongs to.
create table kept_items (
  id text collate "C" not null,
  response_id text collate "C" not null references kept_responses (id) on delete cascade,
  primary key (id, response_id)
);
create index kept_items_by_response on kept_items (response_id);

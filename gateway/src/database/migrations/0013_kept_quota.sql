-- What a space keeps of its responses is bounded, so its size is known: `kept_usage` is moved by every
-- transaction that adds or drops responses, and its rows are locked in the order of `space_id`, before any
-- response is dropped.

alter table kept_responses add column bytes bigint not null default 0;
update kept_responses set bytes = octet_length(input) + octet_length(output) + 1024;
create index kept_responses_by_space on kept_responses (space_id, expires_at, id);

create table kept_usage (
  space_id text collate "C" primary key,
  responses bigint not null default 0,
  -- Of responses and of their media.
  bytes bigint not null default 0
);
insert into kept_usage (space_id, responses, bytes)
select space_id, count(*), sum(bytes) from kept_responses group by space_id;

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

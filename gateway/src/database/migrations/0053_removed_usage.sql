-- expand
-- locks: batches and video_jobs, against writes, while their indexes are created
-- takes: less than a second for each 100,000 batches and videos
-- What removed calls counted, beside what they cost (`removed_calls`), so that usage by time stays what it was. A program of
-- the previous version removes calls without writing it: usage by time then says that it does not know it.

-- The day of KST and the day of UTC are together a part of a day. `search_requests`: calls with a web search.
create table removed_usage (
  space_id text collate "C" not null,
  day date not null,
  utc_day date not null,
  key_id text collate "C" not null,
  model text collate "C" not null,
  endpoint text collate "C" not null,
  tier text collate "C" not null,
  requests bigint not null,
  search_requests bigint not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  cache_write_tokens bigint not null,
  output_tokens bigint not null,
  image_input_tokens bigint not null,
  audio_input_tokens bigint not null,
  cached_image_input_tokens bigint not null,
  cached_audio_input_tokens bigint not null,
  image_output_tokens bigint not null,
  audio_output_tokens bigint not null,
  images bigint not null,
  web_searches bigint not null,
  file_searches bigint not null,
  code_sessions bigint not null,
  primary key (space_id, day, utc_day, key_id, model, endpoint, tier)
);
create index removed_usage_by_day on removed_usage (day);

-- What was settled in a period.
create index batches_by_settlement on batches (settled_at) where settled_at is not null;
create index video_jobs_by_settlement on video_jobs (settled_at) where settled_at is not null;

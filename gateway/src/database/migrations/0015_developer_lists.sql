-- What developers list with their own key: a page costs the same however many rows there are. Without statistics,
-- which the embedded engine never has, the planner would take any index that begins with the owner, and sort. So of
-- each table only one begins with it.
drop index files_by_content;
create index files_by_content on files (sha256, space_id, owner, created_at);
create index files_by_owner on files (space_id, owner, purpose, id);

-- A response as it was answered, without its output and its cost. Null for those that were kept before.
alter table kept_responses add column head text;

-- Every attempt of a call that needed more than one: [{"status", "outcome", "ms"}].
alter table calls add column attempt_log json;

create index batches_by_owner on batches (space_id, owner, id);
create index video_jobs_by_owner on video_jobs (space_id, owner, id);
create index reference_files_by_owner on reference_files (space_id, owner, id);

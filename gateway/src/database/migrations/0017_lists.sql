-- Lists with pages: the last use of a key, and an index for each order and filter that the lists have.
-- On a table with many calls the indexes take minutes, during which no call can be recorded. To avoid that, create
-- them beforehand with "create index concurrently", under the names used here (docs/operating.md).

-- When a key was last charged for a model. Null: before this column existed and unknown.
alter table month_totals add column last_at timestamptz;
update month_totals t set last_at = used.at
from (
  select space_id, month, key_id, model, max(at) as at from (
    select space_id, month, key_id, model, charged_at as at from calls where outcome <> 'failed'
    union all
    select space_id, settled_month, key_id, model, settled_at from batches where settled_at is not null
    union all
    select space_id, settled_month, key_id, model, settled_at from video_jobs where settled_at is not null) charged
  group by 1, 2, 3, 4) used
where (t.space_id, t.month, t.key_id, t.model) = (used.space_id, used.month, used.key_id, used.model);
create index month_totals_by_key on month_totals (key_id, month);

-- Calls in the order of their start, which is the order of their ids. The calls of a member are those of their keys,
-- and the other filters examine a limited number of rows of one of these indexes.
create index if not exists calls_by_space on calls (space_id, id);
create index if not exists calls_by_key on calls (key_id, id);
create index if not exists calls_not_completed on calls (space_id, id) where outcome <> 'completed';
create index refusals_by_space on refusals (space_id, id) where space_id is not null;
create index refusals_by_key on refusals (key_id, id) where key_id is not null;

create index keys_in_name_order on keys (space_id, (lower(name) collate "C"), id);
create index keys_by_space on keys (space_id, id);
create index keys_by_member on keys (member_id) where member_id is not null;
create index people_in_email_order on people ((lower(email) collate "C"), id);

create index grants_by_space on grants (space_id, id);
-- The order of time, in which the journal is read by month. Replaces the index on (space_id, id).
drop index journal_by_space;
create index if not exists journal_by_time on journal (space_id, at, id);
-- Nearly all entries are charges; the others are found without reading them.
create index journal_except_charges on journal (space_id, at, id) where kind <> 'charge';

drop index audit_log_by_space;
create index audit_log_by_space_and_time on audit_log (space_id, at, id);
create index audit_log_by_time on audit_log (at, id);

create index batches_quarantined on batches (id) where settlement_status = 'quarantined';
create index reference_files_by_space on reference_files (space_id, id);
create index media_by_space on media (space_id, id);
create index if not exists batches_by_owner on batches (space_id, owner, id);
create index if not exists video_jobs_by_owner on video_jobs (space_id, owner, id);
-- Created again, because without statistics the planner prefers the newer of two indexes that cost the same.
drop index if exists reference_files_by_owner;
create index reference_files_by_owner on reference_files (space_id, owner, id);
create index media_by_owner on media (space_id, owner, id);

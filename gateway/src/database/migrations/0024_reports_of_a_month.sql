-- Reports of a month add up calls by day. Without these statistics, the planner expects as many days as calls.
create statistics calls_days on (korean_day(charged_at)) from calls;

-- The calls of a day are found by their ids, which have the time of the start. Only these were charged much later.
create index calls_charged_late on calls (space_id, id) where charged_at - started_at > interval '10 minutes';

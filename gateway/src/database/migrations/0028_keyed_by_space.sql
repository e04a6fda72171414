-- contract
-- locks: calls and journal, until it is done: it creates two indexes of calls and one of the journal
-- takes: seconds per million calls; docs/operating.md has commands that create the indexes before, while calls continue
-- Calls, their corrections and the journal are keyed by their space first, so that a database that divides tables can
-- divide them by space. Ids stay unique, because the program makes them so. A program of the previous version works on,
-- except that it cannot correct calls.

create unique index if not exists calls_of_space on calls (space_id, id);
-- For the places that know only the id, and for lists of all spaces.
create index if not exists calls_by_id on calls (id);
create unique index if not exists journal_of_space on journal (space_id, id);

alter table corrections add column space_id text collate "C";
update corrections k set space_id = c.space_id from calls c where c.id = k.call_id;
alter table corrections alter column space_id set not null;

alter table corrections drop constraint corrections_call_id_fkey, drop constraint corrections_entry_id_fkey;
alter table batches drop constraint batches_entry_id_fkey;
alter table video_jobs drop constraint video_jobs_entry_id_fkey;

alter table calls drop constraint calls_pkey;
alter table calls add constraint calls_pkey primary key using index calls_of_space;
drop index calls_by_space;
alter table journal drop constraint journal_pkey;
alter table journal add constraint journal_pkey primary key using index journal_of_space;

alter table corrections
  add constraint corrections_call_fkey foreign key (space_id, call_id) references calls (space_id, id),
  add constraint corrections_entry_fkey foreign key (space_id, entry_id) references journal (space_id, id);
alter table batches
  add constraint batches_entry_fkey foreign key (space_id, entry_id) references journal (space_id, id);
alter table video_jobs
  add constraint video_jobs_entry_fkey foreign key (space_id, entry_id) references journal (space_id, id);

-- expand
-- locks: spaces and calls, for a moment each
-- takes: a moment
-- The name in a request, if another model answered it; and names of a space for models. A process of the previous
-- version stores no such name, and does not know the names of a space.
alter table calls add column requested_model text;
alter table spaces add column aliases jsonb not null default '{}';

-- expand
-- locks: nothing that calls use
-- takes: a moment
-- Says which migrations a program that does not know them can work with, so that it may start again beside a newer one.
alter table schema_migrations add column kind text not null default 'expand';

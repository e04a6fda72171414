-- What stops a call before it is made: a space that is blocked, a key or a person that spent enough.

alter table spaces add column blocked_at timestamptz;
alter table keys add column month_limit numeric(38, 12) check (month_limit >= 0);
alter table members add column month_limit numeric(38, 12) check (month_limit >= 0);

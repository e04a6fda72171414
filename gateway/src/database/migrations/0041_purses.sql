-- expand
-- locks: spaces, for a moment
-- takes: a moment
-- A purse is what calls are paid from or counted against: the units of a space, or the monthly limit of a key or a member.
-- A process gets slices of purses before it uses them, so that calls in several processes cannot pass a limit together. A
-- program of the previous version works on: it takes no slices, and looks at limits as it did.

-- `given`: the sum of its slices. Its row is locked while a slice changes.
create table purses (
  id text collate "C" primary key,
  given numeric(38, 12) not null default 0 check (given >= 0)
);

-- What a process may spend of a purse without asking, added up since it began. What it has spent is in its own totals and
-- dues.
create table slices (
  purse text collate "C" not null,
  process_id text collate "C" not null,
  granted numeric(38, 12) not null check (granted >= 0),
  -- Counts how often it was raised: a return that arrives late must not take back what was given after it.
  turn integer not null default 0,
  primary key (purse, process_id)
);
create index slices_by_process on slices (process_id);

-- What its calls hold and what it exchanged with others, as it said when it last renewed its lease.
alter table processes add column activity json;

-- Whether a call is admitted only if what it may cost at most fits into the units and limits.
alter table spaces add column hard_limits boolean not null default false;

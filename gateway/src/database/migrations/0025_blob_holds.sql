-- expand
-- locks: nothing that exists
-- takes: a moment
-- While a row here is valid, no blob is deleted: a backup copies the blobs that its snapshot names.
create table blob_holds (
  id text collate "C" primary key,
  until timestamptz not null
);

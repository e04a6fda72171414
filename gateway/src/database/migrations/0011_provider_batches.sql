-- Batches that a provider runs itself.
alter table batches
  -- How many lines it was sent; those that failed before are not among them.
  add column provider_lines integer,
  -- Why what it answered cannot be relied on. While it stands the batch is not settled.
  add column doubt text,
  add constraint batches_provider check (
    (provider is null) = (provider_sent_at is null) and (provider is null) = (provider_lines is null) and
    (provider is not null or (provider_file_id is null and provider_batch_id is null)));

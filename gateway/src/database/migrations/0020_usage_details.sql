-- What a provider counted beyond the usual tokens: lifetimes, modalities, tools, the tier. Null where there is nothing.
alter table calls add column usage_details jsonb;

-- Calls without a price, for the list of missing prices. On a table with many calls the index takes minutes, during which
-- no call can be recorded. To avoid that, create it beforehand with "create index concurrently", under this name
-- (docs/operating.md).
create index if not exists calls_unpriced on calls (id) where cost is null and outcome <> 'failed';

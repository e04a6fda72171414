-- What the provider will bill for a call, a batch or a video, with its currency and the version of its prices. Null: unknown.
alter table calls add column provider_cost numeric(38, 12), add column provider_currency text,
  add column provider_price_version text;

alter table batch_lines add column provider text, add column upstream_model text,
  add column provider_cost numeric(38, 12), add column provider_currency text, add column provider_price_version text;

-- One bill for each provider, model, currency and version: the lines, how many have an unknown cost, and the sum of the others.
alter table batches add column provider_bills jsonb;

alter table video_jobs add column provider_cost numeric(38, 12), add column provider_currency text,
  add column provider_price_version text;

-- The prices of providers that were used. The prices of a model under a version never change.
create table provider_price_sheets (
  version text not null,
  model text not null,
  prices json not null,
  created_at timestamptz not null,
  primary key (version, model)
);

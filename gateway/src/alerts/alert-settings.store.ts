/** When spaces are warned: their settings, and which spaces are to be looked at. */
import type { AlertKind } from '../contract/administration/words.ts';
import { alertDefaults, operatorAlertKinds } from '../contract/administration/words.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { type Sql, sql } from '../database/sql.ts';

export interface AlertSettings {
  readonly limitPercents: readonly number[];
  /** Units; null: only the percentage counts. */
  readonly balanceUnits: string | null;
  /** Of what was granted last; null: only the amount counts. */
  readonly balancePercent: number | null;
  readonly expiryDays: readonly number[];
}

/** A row of settings, or the defaults. */
const columns = sql`coalesce(a.limit_percents, ${alertDefaults.limitPercents.map(String)}::text[]::integer[]) as "limitPercents",
  trim_scale(a.balance_units)::text as "balanceUnits",
  case when a.space_id is null then ${alertDefaults.balancePercent}::integer else a.balance_percent end as "balancePercent",
  coalesce(a.expiry_days, ${alertDefaults.expiryDays.map(String)}::text[]::integer[]) as "expiryDays"`;

export async function readAlertSettings(db: Queryable, spaceId: string): Promise<AlertSettings> {
  const [settings] = await db.query<AlertSettings>(sql`
    select ${columns} from spaces s left join alert_settings a on a.space_id = s.id where s.id = ${spaceId}`);
  if (settings === undefined) throw new Error(`there is no space ${spaceId}`);
  return settings;
}

export async function writeAlertSettings(
  tx: Transaction,
  spaceId: string,
  settings: AlertSettings,
): Promise<void> {
  await tx.query(sql`
    insert into alert_settings (space_id, limit_percents, balance_units, balance_percent, expiry_days)
    values (${spaceId}, ${settings.limitPercents.map(String)}::text[]::integer[], ${settings.balanceUnits}::text::numeric,
      ${settings.balancePercent}, ${settings.expiryDays.map(String)}::text[]::integer[])
    on conflict (space_id) do update set limit_percents = excluded.limit_percents,
      balance_units = excluded.balance_units, balance_percent = excluded.balance_percent,
      expiry_days = excluded.expiry_days`);
}

/** The spaces for which somebody gets events of a kind, as `id`, `name` and their settings. */
export function watchedSpaces(kind: AlertKind): Sql {
  const ofOperators = (operatorAlertKinds as readonly string[]).includes(kind);
  return sql`
    select s.id, s.name, ${columns} from spaces s left join alert_settings a on a.space_id = s.id
    where exists (select 1 from alert_targets t where t.removed_at is null
      and (t.kinds is null or ${kind} = any (t.kinds))
      and (t.space_id = s.id or (${ofOperators} and t.space_id is null)))`;
}

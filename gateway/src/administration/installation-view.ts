/** What operations ask about the configuration, and the running server about itself. */
import type { ResultOf } from '../contract/administration/admin-endpoints.ts';
import type { ModelObject } from '../contract/models.ts';
import type { UnitValue } from '../kernel/unit-value.ts';

/** The models of a space, with their prices, and the aliases of the configuration, which have `alias_of`. */
export type ModelsOf = (spaceName: string) => Promise<readonly ModelObject[]>;

/** The names of the providers in the configuration; null if it cannot be read. */
export type ProvidersOf = () => Promise<readonly string[] | null>;

/** What the configuration says units are worth; null: nothing, or it cannot be read. */
export type UnitValueOf = () => Promise<UnitValue | null>;

export interface InstallationView {
  readonly version: string;
  readonly demo: boolean;
  health(): Omit<
    ResultOf<'installation.health'>,
    'jobs' | 'unsettled_batches' | 'quarantined_batches' | 'database'
  >;
  config(): ResultOf<'installation.config'>;
  /** The names of the issuers whose tokens workloads may send. */
  workloadIssuers(): readonly string[];
  /** How many units one unit of the providers' currency is worth; null: they have no prices. */
  unitsPerCurrency(): string | null;
}

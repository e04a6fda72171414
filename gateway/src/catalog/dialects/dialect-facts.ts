/**
 * What the product knows of a dialect before it calls a provider: one declaration for each, in its own folder. How calls
 * are sent and translated is in `providers/`, which has a folder of the same name.
 */
import type { TProperties } from 'typebox';
import type { ModelEndpoint } from '../../contract/paid-endpoints.ts';
import type { FinishReason } from '../../text/text-result.ts';
import type { ModelTraits } from '../model-traits.ts';

/** What a dialect and a vendor of it can both have. */
export interface ServiceFacts {
  /** The name in OpenTelemetry's semantic conventions; absent: the name of the provider in the configuration. */
  readonly system?: string;
  /** Names of the company and its products in error messages. Callers read "the provider" instead. */
  readonly spokenNames?: readonly string[];
  /** The host of the service; a provider at this address has its prices. */
  readonly host?: string;
  /** Other names that price sources have for it. */
  readonly sourceNames?: readonly string[];
  /** What its models take, by their names in lower case; absent: nothing is known. */
  readonly traits?: ReadTraits;
}

/** Null: the name says nothing. */
export type ReadTraits = (name: string) => Partial<ModelTraits> | null;

export interface DialectFacts extends ServiceFacts {
  /** Whose prices its providers have, unless the vendor or the host says more; absent: those of their own name. */
  readonly priceFamily?: string;
  /** True: writing to the cache costs more than input, so that it needs a price. */
  readonly cacheWritesCostMore?: boolean;
  /** The kinds of tool that its searches are charged as; absent: `web_search`. */
  readonly searchKinds?: { readonly perPrompt: string; readonly perQuery: string };
  /** Of models whose names say nothing. */
  readonly otherTraits?: Partial<ModelTraits> | null;
  /** The provider's words for why an answer ended. */
  readonly finishReasons: Readonly<Record<string, FinishReason>>;
  /** True: a provider may have no key, because its server is local or its credentials are elsewhere. */
  readonly keyless?: boolean;
  /** True: `api_keys` is rejected. */
  readonly oneKey?: boolean;
  /** True: there is a batch API. The operator must know whether a server supports it. */
  readonly batches?: boolean;
  /** The only endpoint that its models can have; absent: any. */
  readonly only?: ModelEndpoint;
  /** Servers that speak it with small differences: the names that `vendor` can have. */
  readonly vendors?: Readonly<Record<string, ServiceFacts>>;
  /** Services that are known by their address alone, for their prices. */
  readonly services?: Readonly<Record<string, ServiceFacts>>;
  /** Keys of a provider that no other dialect has. */
  readonly own?: OwnKeys;
}

export interface OwnKeys {
  readonly fields: TProperties;
  /** What the provider's settings get from them. `place` is the provider, such as `providers.acme`. Throws a ConfigError. */
  read(entry: object, place: string): object;
}

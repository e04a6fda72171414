/** What a JSON body may have at most, so that parsing it never takes long nor much memory. */
export interface JsonLimits {
  readonly depthMax: number;
  readonly keysMax: number;
  /** Items of all lists and objects together. */
  readonly valuesMax: number;
  /** Lists and objects; an empty one takes many times its bytes in memory. Default: unlimited. */
  readonly containersMax?: number;
}

export const NO_LIMITS: Required<JsonLimits> = {
  depthMax: Number.POSITIVE_INFINITY,
  keysMax: Number.POSITIVE_INFINITY,
  valuesMax: Number.POSITIVE_INFINITY,
  containersMax: Number.POSITIVE_INFINITY,
};

/** An issuer whose tokens workloads send instead of a key, as the configuration describes it. */

export interface WorkloadIssuer {
  /** Its name in rules and in the audit log. */
  readonly name: string;
  /** The claim `iss` of its tokens, exactly. Two clusters may have the same one. */
  readonly issuer: string;
  /** What the claim `aud` must contain. */
  readonly audience: string;
  /** Where its signing keys are; null: where its discovery document says. */
  readonly jwksUrl: string | null;
  /** A file with the certificates that its server is trusted by; null: those of the system. */
  readonly caFile: string | null;
  /** A file with a token that its server wants to see, as the API server of a cluster does; null: none. */
  readonly tokenFile: string | null;
  /** Never `none`, and never one with a shared secret. */
  readonly algorithms: readonly string[];
  /** How far its clock and ours may differ. */
  readonly leewaySeconds: number;
}

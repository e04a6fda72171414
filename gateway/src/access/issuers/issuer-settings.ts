/** An identity provider (OpenID Connect) as it is configured. */
import type { Secret } from '../../kernel/secret.ts';
import type { Role } from '../members.store.ts';

export interface IssuerSettings {
  /** In URLs, sessions and the audit log. */
  readonly name: string;
  /** What people see. */
  readonly label: string;
  /** Its URL, exactly as its ID tokens say. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** How the client secret is sent; null: as the issuer says, preferably `basic`. */
  readonly clientAuth: 'basic' | 'post' | null;
  readonly scopes: readonly string[];
  /** The names of the claims that hold a person's e-mail address, display name and groups. */
  readonly claims: { readonly email: string; readonly name: string; readonly groups: string };
  /** Members of these groups are operators. */
  readonly operators: readonly string[];
  readonly spaces: readonly GroupSpace[];
  /** In lower case; null: any, except those of other issuers. */
  readonly domains: readonly string[] | null;
  readonly allowUnverifiedEmail: boolean;
}

/** Members of the group are members of the space. */
export interface GroupSpace {
  readonly group: string;
  /** Its name. */
  readonly space: string;
  readonly role: Role;
}

/** Every operation of administration, once: how it is reached over HTTP, who may use it, and its shapes. */
import type { Static } from 'typebox';
import type { AdminInput } from './admin-endpoint.ts';
import { alertEndpoints } from './alerts.ts';
import { aliasEndpoints } from './aliases.ts';
import { auditEndpoints } from './audit.ts';
import { batchAdminEndpoints } from './batches.ts';
import { budgetEndpoints } from './budgets.ts';
import { installationEndpoints } from './installation.ts';
import { invitationEndpoints } from './invitations.ts';
import { jobAdminEndpoints } from './jobs.ts';
import { keyEndpoints } from './keys.ts';
import { marginEndpoints } from './margin.ts';
import { memberEndpoints } from './members.ts';
import { peopleEndpoints } from './people.ts';
import { priceEndpoints } from './prices.ts';
import { projectEndpoints } from './projects.ts';
import { requestEndpoints } from './requests.ts';
import { spaceEndpoints } from './spaces.ts';
import { statementEndpoints } from './statement-endpoints.ts';
import { tokenEndpoints } from './tokens.ts';
import { unitEndpoints } from './units.ts';
import { usageEndpoints } from './usage.ts';
import { workloadEndpoints } from './workloads.ts';

export const adminEndpoints = {
  ...spaceEndpoints,
  ...memberEndpoints,
  ...invitationEndpoints,
  ...keyEndpoints,
  ...workloadEndpoints,
  ...aliasEndpoints,
  ...unitEndpoints,
  ...statementEndpoints,
  ...usageEndpoints,
  ...requestEndpoints,
  ...batchAdminEndpoints,
  ...jobAdminEndpoints,
  ...projectEndpoints,
  ...peopleEndpoints,
  ...tokenEndpoints,
  ...alertEndpoints,
  ...budgetEndpoints,
  ...auditEndpoints,
  ...priceEndpoints,
  ...marginEndpoints,
  ...installationEndpoints,
} as const;

export type OperationName = keyof typeof adminEndpoints;

export const operationNames = Object.keys(adminEndpoints) as OperationName[];

/** Fields that may be left out may also be undefined; so may the space, while a caller sees only one. */
export type InputOf<Name extends OperationName> = Loose<AdminInput<(typeof adminEndpoints)[Name]>>;
export type ResultOf<Name extends OperationName> = Static<(typeof adminEndpoints)[Name]['response']>;

type Loose<Input> = {
  [Field in keyof Input as Field extends 'space' ? never : Field]: Record<never, never> extends Pick<
    Input,
    Field
  >
    ? Input[Field] | undefined
    : Input[Field];
} & ('space' extends keyof Input ? { space?: string | undefined } : unknown);

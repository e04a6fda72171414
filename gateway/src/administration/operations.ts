/** Every operation of administration, by its name. The contract says how each is reached and who may use it. */
import type { InputOf, OperationName, ResultOf } from '../contract/administration/admin-endpoints.ts';
import { alertOperations } from './alerts.ts';
import { aliasOperations } from './aliases.ts';
import { batchOperations } from './batches.ts';
import { budgetRequestOperations } from './budget-requests.ts';
import { budgetOperations } from './budgets.ts';
import { installationOperations } from './installation.ts';
import { invitationOperations } from './invitations.ts';
import { jobOperations } from './jobs.ts';
import { keyOperations } from './keys.ts';
import { marginOperations } from './margin.ts';
import { memberOperations } from './members.ts';
import type { AdminContext, Operation } from './operation.ts';
import { peopleOperations } from './people.ts';
import { priceOperations } from './prices.ts';
import { projectIdOperations } from './project-ids.ts';
import { projectOperations } from './projects.ts';
import { reportOperations } from './reports.ts';
import { requestOperations } from './requests.ts';
import { ruleOperations } from './rules.ts';
import { spaceOperations } from './spaces.ts';
import { statementOperations } from './statements.ts';
import { tokenOperations } from './tokens.ts';
import { unitOperations } from './units.ts';
import { workloadSubjectOperations } from './workload-subjects.ts';
import { workloadOperations } from './workloads.ts';

const all: readonly Operation[] = [
  ...spaceOperations,
  ...memberOperations,
  ...keyOperations,
  ...ruleOperations,
  ...workloadOperations,
  ...workloadSubjectOperations,
  ...aliasOperations,
  ...unitOperations,
  ...statementOperations,
  ...reportOperations,
  ...batchOperations,
  ...peopleOperations,
  ...tokenOperations,
  ...alertOperations,
  ...budgetOperations,
  ...budgetRequestOperations,
  ...invitationOperations,
  ...projectOperations,
  ...projectIdOperations,
  ...requestOperations,
  ...jobOperations,
  ...priceOperations,
  ...marginOperations,
  ...installationOperations,
];

export const operations: ReadonlyMap<string, Operation> = new Map(all.map((one) => [one.name, one]));

export async function runOperation<Name extends OperationName>(
  context: AdminContext,
  name: Name,
  input: InputOf<Name>,
): Promise<ResultOf<Name>> {
  return (await operations.get(name)?.run(context, input)) as ResultOf<Name>;
}

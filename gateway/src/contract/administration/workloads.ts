/** Administration of workloads: pods and CI jobs that call with a token of their issuer instead of a key. */
import { Type } from 'typebox';
import { type AdminEndpoint, IN_SPACE, operation } from './admin-endpoint.ts';
import { KeyName, request, shape, text, timeOf, withUse } from './fields.ts';
import { filterFields } from './filter-fields.ts';
import { listQuery, pageOf } from './lists.ts';

const IssuerName = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
  description: 'The name of an issuer in the configuration.',
  examples: ['cluster'],
});

/** The separator keeps `team-a:*` from covering the subjects of a neighbour, such as `team-ab:api`. */
const Subject = Type.String({
  pattern: '^(?:[^*\\s\\p{C}]{1,500}|[^*\\s\\p{C}]{0,498}[:/]\\*)$',
  description:
    'The claim sub of a token, or the beginning of one that ends with :* or /*, such as system:serviceaccount:team-a:*.',
  examples: ['system:serviceaccount:team-a:api'],
});

const CLAIMS_MAX = 10;

const ClaimList = Type.Optional(
  Type.Array(Type.String({ pattern: '^[^=*\\s\\p{C}]{1,100}=(?=.)[^*\\p{C}]{0,299}\\*?$' }), {
    maxItems: CLAIMS_MAX,
    description: `A list of at most ${CLAIMS_MAX} claims as name=value; a value may end with *. A token must have all of them.`,
    examples: [['ref=refs/heads/main']],
  }),
);

const rule = {
  id: text('The id of the rule.'),
  space: text('The name of the space.'),
  key_name: text('The name of the key that the workload acts as.'),
  issuer: text('The name of the issuer.'),
  subject: text('The subject of the tokens, or the beginning of it, with * at the end.'),
  claims: Type.Array(Type.String(), { description: 'The claims that a token must have, as name=value.' }),
  created_by: text('Who added the rule.'),
  created_at: timeOf('When it was added.'),
};

export const AdminWorkload = shape('A rule: which tokens of an issuer act as a key.', rule);

export const WorkloadPage = pageOf(AdminWorkload, 'The rules, the oldest first.');

export const AddWorkloadRequest = request('A new rule.', {
  key: withUse(KeyName, 'A shared key, or a management key for the platform API.'),
  issuer: IssuerName,
  subject: Subject,
  claims: ClaimList,
});

export const RemovedWorkload = shape('A rule that was removed.', {
  ...rule,
  removed: Type.Literal(true, { description: 'Always true.' }),
});

const given = {
  id: text('The id by which they are released.'),
  space: text('The name of the space.'),
  issuer: text('The name of the issuer.'),
  subjects: text('A subject, or the beginning of subjects, with * at the end.'),
  since: timeOf('Since when the space has them.'),
};

export const GivenSubjects = shape('Subjects for which a space may add rules.', given);

export const SubjectPage = pageOf(GivenSubjects, 'The subjects, in the order in which they were given.');

export const GiveSubjectsRequest = request('Subjects for a space.', {
  issuer: IssuerName,
  subjects: Subject,
});

export const ReleasedSubjects = shape('Subjects that the space has given up.', {
  ...given,
  released: Type.Literal(true, { description: 'Always true.' }),
});

export const workloadEndpoints = {
  'workloads.list': {
    ...operation('GET', `${IN_SPACE}/workloads`, 'admin'),
    summary: 'List the rules for workloads of a space.',
    query: listQuery(filterFields('workloads.list')),
    response: WorkloadPage,
  },
  'workloads.add': {
    ...operation('POST', `${IN_SPACE}/workloads`, 'admin'),
    summary: 'Let a pod or a CI job call with its token, as a key.',
    request: AddWorkloadRequest,
    response: AdminWorkload,
    problems: ['conflict'],
  },
  'workloads.remove': {
    ...operation('DELETE', `${IN_SPACE}/workloads/{workload}`, 'admin'),
    summary: 'Remove a rule; the tokens that it lets in are rejected.',
    response: RemovedWorkload,
  },
  'workloadSubjects.list': {
    ...operation('GET', `${IN_SPACE}/workload-subjects`, 'admin'),
    summary: 'List the subjects for which a space may add rules.',
    query: listQuery({}),
    response: SubjectPage,
  },
  'workloadSubjects.give': {
    ...operation('POST', `${IN_SPACE}/workload-subjects`, 'operator'),
    summary: 'Let a space add rules for subjects of workloads.',
    request: GiveSubjectsRequest,
    response: GivenSubjects,
    problems: ['conflict'],
  },
  'workloadSubjects.release': {
    ...operation('DELETE', `${IN_SPACE}/workload-subjects/{subjects}`, 'operator'),
    summary: 'Take subjects from a space.',
    response: ReleasedSubjects,
    problems: ['conflict'],
  },
} as const satisfies Record<string, AdminEndpoint>;

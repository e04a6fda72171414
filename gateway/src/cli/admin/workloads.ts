/** `workloads`: pods and CI jobs that call with a token of their issuer instead of a key. */
import { argument, group, option } from '../command.ts';
import { list as listOf } from '../words.ts';
import { adminCommand, listCommand } from './admin-command.ts';
import { space } from './administer.ts';

const issuer = argument('<issuer>', 'the name of the issuer in tollgate.yaml');
const forms = 'a subject, or the beginning of subjects that ends with :* or /*';

const add = adminCommand('workloads.add', {
  help: 'let workloads call as a key, with a token of their issuer; the space has the subject',
  examples: [
    'tollgate workloads add cluster system:serviceaccount:team-a:api --key api',
    "tollgate workloads add github 'repo:acme/shop:*' --key ci --claims ref=refs/heads/main",
  ],
  arguments: { issuer, subject: argument('<subject>', forms) },
  options: {
    space,
    key: option('<name>', 'a shared key, or a management key for the platform API', { required: true }),
    claims: option(
      '<list>',
      'claims that a token must have too, such as ref=refs/heads/main,environment=prod',
      {
        read: listOf,
      },
    ),
  },
});

const list = listCommand('workloads.list', {
  help: 'list the rules for workloads of a space',
  examples: ['tollgate workloads list --key api'],
  options: { space },
  columns: ['id', 'issuer', 'subject', 'claims', 'key_name', 'created_by', 'created_at'],
  computed: { claims: ({ claims }) => claims.join(' ') },
  empty: 'No workloads yet. Add a rule with "tollgate workloads add ISSUER SUBJECT --key NAME".',
});

const remove = adminCommand('workloads.remove', {
  help: 'remove a rule; the tokens that it lets in are rejected, and their running calls end',
  examples: ['tollgate workloads remove wkl_01k9x3v7q2m5n8r4t6w0y1z2a3'],
  arguments: { workload: argument('<id>', 'the id of the rule') },
  options: { space },
});

const subjects = listCommand('workloadSubjects.list', {
  name: 'subjects',
  help: 'list the subjects for which a space may add rules',
  examples: ['tollgate workloads subjects --space acme'],
  options: { space },
  columns: ['id', 'issuer', 'subjects', 'space', 'since'],
  empty: 'No subjects yet. An operator gives them with "tollgate workloads give ISSUER SUBJECTS".',
});

const give = adminCommand('workloadSubjects.give', {
  help: 'let the administrators of a space add rules for a subject, or for all with a beginning',
  examples: ["tollgate workloads give cluster 'system:serviceaccount:team-a:*' --space acme"],
  arguments: { issuer, subjects: argument('<subjects>', forms) },
  options: { space },
});

const release = adminCommand('workloadSubjects.release', {
  help: 'take subjects from a space; first remove its rules for them',
  examples: ['tollgate workloads release wks_01k9x3v7q2m5n8r4t6w0y1z2a3 --space acme'],
  arguments: { subjects: argument('<id>', 'the id of the subjects') },
  options: { space },
});

export const workloadCommands = group({
  name: 'workloads',
  help: 'manage pods and CI jobs that call with a token of their issuer instead of a key',
  commands: [add, list, remove, subjects, give, release],
});

/** The documentation of all endpoints, by tag, in the order in which readers see it. */
import { namesInPath } from '../administration/admin-endpoint.ts';
import { ruleDescriptions } from '../administration/rules/find-rules.ts';
import { type EndpointName, endpoints } from '../endpoints.ts';
import alerts from './administration/alerts.json' with { type: 'json' };
import aliases from './administration/aliases.json' with { type: 'json' };
import audit from './administration/audit.json' with { type: 'json' };
import adminBatches from './administration/batches.json' with { type: 'json' };
import budgets from './administration/budgets.json' with { type: 'json' };
import installation from './administration/installation.json' with { type: 'json' };
import invitations from './administration/invitations.json' with { type: 'json' };
import jobs from './administration/jobs.json' with { type: 'json' };
import keys from './administration/keys.json' with { type: 'json' };
import margin from './administration/margin.json' with { type: 'json' };
import members from './administration/members.json' with { type: 'json' };
import people from './administration/people.json' with { type: 'json' };
import prices from './administration/prices.json' with { type: 'json' };
import projects from './administration/projects.json' with { type: 'json' };
import requests from './administration/requests.json' with { type: 'json' };
import spaces from './administration/spaces.json' with { type: 'json' };
import statements from './administration/statements.json' with { type: 'json' };
import tokens from './administration/tokens.json' with { type: 'json' };
import units from './administration/units.json' with { type: 'json' };
import usage from './administration/usage.json' with { type: 'json' };
import workloads from './administration/workloads.json' with { type: 'json' };
import batches from './batches.json' with { type: 'json' };
import chat from './chat.json' with { type: 'json' };
import console from './console.json' with { type: 'json' };
import embeddings from './embeddings.json' with { type: 'json' };
import files from './files.json' with { type: 'json' };
import images from './images.json' with { type: 'json' };
import keysAndReceipts from './keys-and-receipts.json' with { type: 'json' };
import logs from './logs.json' with { type: 'json' };
import messages from './messages.json' with { type: 'json' };
import models from './models.json' with { type: 'json' };
import type { Example, ExampleRequest, OperationDocs, TagDocs } from './operation-docs.ts';
import organization from './organization.json' with { type: 'json' };
import platform from './platform.json' with { type: 'json' };
import { readData } from './read-data.ts';
import references from './references.json' with { type: 'json' };
import responses from './responses.json' with { type: 'json' };
import signIn from './sign-in.json' with { type: 'json' };
import system from './system.json' with { type: 'json' };
import videos from './videos.json' with { type: 'json' };

const tagFiles: Readonly<Record<string, readonly object[]>> = {
  'Model calls': [chat, responses, messages, embeddings, images, models],
  Jobs: [files, batches, videos, references],
  'Your space': [platform, organization, keysAndReceipts],
  People: [console, signIn, logs],
  Administration: [
    spaces,
    members,
    invitations,
    keys,
    workloads,
    budgets,
    aliases,
    units,
    statements,
    usage,
    requests,
    adminBatches,
    jobs,
    projects,
    audit,
    people,
    tokens,
    alerts,
    prices,
    margin,
    installation,
  ],
  System: [system],
};

interface TagFile extends TagDocs {
  /** What stands for a name in the paths of its examples, unless an example says something else. */
  readonly usualPath?: ExampleRequest['path'];
}

/** What the operations of rules are described as stands where the rules are declared. */
function readTag(file: object): TagDocs {
  const { operations, usualPath, ...tag } = readData<TagFile>(file);
  const usual = { space: 'demo', ...usualPath };
  const described = Object.entries<OperationDocs>(operations).map(([name, docs]) => {
    const description = ruleDescriptions[name];
    const examples = docs.examples.map((example) => completePath(name as EndpointName, example, usual));
    return [name, { ...(description !== undefined && { description }), ...docs, examples }];
  });
  return { ...tag, operations: Object.fromEntries(described) };
}

function completePath(name: EndpointName, example: Example, usual: NonNullable<Example['path']>): Example {
  const names: readonly string[] = namesInPath(endpoints[name].path);
  const used = Object.entries(usual).filter(([one]) => names.includes(one));
  return names.length === 0
    ? example
    : { ...example, path: { ...Object.fromEntries(used), ...example.path } };
}

const groups = Object.entries(tagFiles).map(([name, tags]) => ({ name, tags: tags.map(readTag) }));

export const documentation: readonly TagDocs[] = groups.flatMap(({ tags }) => tags);

/** Viewers show the tags under these headings. */
export const tagGroups = groups.map(({ name, tags }) => ({ name, tags: tags.map(({ tag }) => tag) }));

export function docsOf(name: EndpointName): { tag: string; docs: OperationDocs } | null {
  for (const { tag, operations } of documentation) {
    const docs = operations[name];
    if (docs !== undefined) return { tag, docs };
  }
  return null;
}

/** Where the fields of a call may go: every dialect, and every vendor of the chat protocol. */
import { type Dialect, type Vendor, vendorNames } from '../../src/catalog/dialects/dialects.ts';
import type { Format } from '../matrix/ask.ts';

/** Vendors get what `openai-compatible` gets, unless a field says otherwise, and that what `openai` gets. */
export type PlaceName = string;

export interface Place {
  readonly name: PlaceName;
  readonly dialect: Dialect;
  readonly vendor?: Vendor;
  /** Below the origin of the provider. */
  readonly path: string;
  /** A name that tells nothing, where the dialect has no makers that differ. */
  readonly model: string;
  /** The formats that it speaks itself, so that calls are relayed. */
  readonly speaks: readonly Format[];
  /** Whose entries count where a field has none for this place. */
  readonly like?: PlaceName;
}

const CLAUDE_ON_BEDROCK = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';

export const places: readonly Place[] = [
  { name: 'openai', dialect: 'openai', path: '/v1', model: 'echo', speaks: ['chat', 'responses'] },
  {
    ...{ name: 'azure-openai', dialect: 'azure-openai', path: '/openai/v1', model: 'echo' },
    ...{ speaks: ['chat', 'responses'], like: 'openai' },
  },
  {
    ...{ name: 'openai-responses', dialect: 'openai-responses', path: '/v1', model: 'echo' },
    speaks: ['responses'],
  },
  {
    ...{ name: 'openai-compatible', dialect: 'openai-compatible', path: '/v1', model: 'echo' },
    ...{ speaks: ['chat'], like: 'openai' },
  },
  ...vendorNames.map((vendor): Place => {
    const dialect = 'openai-compatible';
    return {
      ...{ name: vendor, dialect, vendor, path: '/v1', model: 'echo' },
      speaks: ['chat'],
      like: dialect,
    };
  }),
  { name: 'anthropic', dialect: 'anthropic', path: '', model: 'echo', speaks: ['messages'] },
  { name: 'google', dialect: 'google', path: '/v1beta', model: 'echo', speaks: [] },
  { name: 'bedrock', dialect: 'bedrock', path: '', model: CLAUDE_ON_BEDROCK, speaks: [] },
] as const;

/** Models that are asked to think in ways of their own, by their names. */
export const thinkers: readonly Place[] = [
  { name: 'gpt-5.6', dialect: 'openai', path: '/v1', model: 'gpt-5.6', speaks: ['chat', 'responses'] },
  ...['claude-sonnet-4-5', 'claude-opus-4-8', 'claude-opus-5-5'].map(
    (name): Place => ({ name, dialect: 'anthropic', path: '', model: name, speaks: ['messages'] }),
  ),
  ...['gemini-2.5-pro', 'gemini-3.1-pro'].map(
    (name): Place => ({ name, dialect: 'google', path: '/v1beta', model: name, speaks: [] }),
  ),
  {
    ...{ name: 'deepseek-v4-pro', dialect: 'openai-compatible', vendor: 'deepseek', path: '/v1' },
    ...{ model: 'deepseek-v4-pro', speaks: ['chat'] },
  },
];

/** Names in the configuration have no dots. */
export function codeOf({ name }: Place): string {
  return name.replaceAll('.', '-');
}

/** Models without prices: what a part of a call costs is no matter here. */
export function fieldsConfig(origin: string, all: readonly Place[] = places): string {
  const providers = all.map((place) => {
    const { dialect, vendor, path } = place;
    const server = vendor === undefined ? '' : `, vendor: ${vendor}`;
    const region = dialect === 'bedrock' ? ', region: us-east-1' : '';
    return `  ${codeOf(place)}: { dialect: ${dialect}${server}, base_url: ${origin}${path}, api_key: simulator-key${region}, simulated: true }`;
  });
  const models = all.map(
    (place) =>
      `  ${codeOf(place)}: { capabilities: [vision, tools, json_mode, json_schema, streaming], routes: [{ provider: ${codeOf(place)}, model: '${place.model}' }] }`,
  );
  return `
server: { fetch_allow: [example.com] }
providers:
${providers.join('\n')}
models:
${models.join('\n')}
`;
}

/** Reads the providers of the checked file. Pure. */
import { Secret } from '../kernel/secret.ts';
import { ConfigError } from './config-error.ts';
import type { ConfigProblems } from './config-problems.ts';
import type { ConfigFile } from './config-shape.ts';
import type { HttpVideoSettings } from './http-video.ts';
import type { ProviderSettings } from './model.ts';
import type { ProviderEntry } from './provider-entry.ts';
import { readHttpVideo } from './read-http-video.ts';

export function readProviders(
  entries: ConfigFile['providers'],
  problems: ConfigProblems,
): ProviderSettings[] {
  return Object.entries(entries).flatMap(([name, entry]) => {
    if (switchedOff(entry)) return [];
    const baseUrl = entry.base_url.replace(/\/+$/, '');
    const place = `providers.${name}`;
    const wrong = (key: string, problem: string): void =>
      problems.add(ConfigError.at(`${place}.${key}`, problem));
    if (!URL.canParse(baseUrl)) wrong('base_url', 'is not a valid URL');
    const { dialect, vendor = null, region = null, simulated = false } = entry;
    const [apiKey = new Secret(''), ...moreKeys] = readKeys(name, entry, problems);
    if (vendor !== null && dialect !== 'openai-compatible')
      wrong('vendor', 'is only for the dialect openai-compatible');
    const awsProfile = problems.attempt(() => readAwsProfile(name, entry));
    const video = problems.attempt(() => readVideo(name, entry));
    const settings = { name, dialect, vendor, region, baseUrl, apiKey, simulated };
    return [
      {
        ...settings,
        ...(entry.propagate_trace === true && { propagateTrace: true }),
        ...(moreKeys.length > 0 && { moreKeys }),
        ...(awsProfile !== null && { awsProfile }),
        ...(video !== null && { video }),
      },
    ];
  });
}

function readKeys(name: string, entry: ProviderEntry, problems: ConfigProblems): Secret[] {
  const { api_key: one = '', api_keys: several, dialect } = entry;
  if (several === undefined) return [new Secret(one)];
  const wrong = (problem: string): void =>
    problems.add(ConfigError.at(`providers.${name}.api_keys`, problem));
  if (one !== '') wrong('cannot be used together with api_key');
  if (dialect === 'http-video') wrong('is not for the dialect http-video; use api_key');
  return filled(several).map((key) => new Secret(key));
}

function readAwsProfile(
  name: string,
  { dialect, api_key, api_keys, aws_profile }: ProviderEntry,
): string | null {
  if (aws_profile === undefined) return null;
  const place = `providers.${name}.aws_profile`;
  if (dialect !== 'bedrock') throw ConfigError.at(place, 'is only for the dialect bedrock');
  const key = api_keys === undefined ? 'api_key' : 'api_keys';
  if ((api_key ?? '') !== '' || api_keys !== undefined)
    throw ConfigError.at(place, `cannot be used together with ${key}`);
  return aws_profile;
}

function readVideo(name: string, { dialect, video }: ProviderEntry): HttpVideoSettings | null {
  const place = `providers.${name}.video`;
  if (dialect === 'http-video') {
    if (video === undefined)
      throw ConfigError.at(place, "is required: it describes the provider's HTTP interface");
    return readHttpVideo(video, place);
  }
  if (video !== undefined) throw ConfigError.at(place, 'is only for the dialect http-video');
  return null;
}

/** How many keys it has. */
export function keyCount({ api_keys: keys }: ProviderEntry): number {
  return keys === undefined ? 1 : filled(keys).length;
}

/** Without those that are empty, because a variable is unset, and without repetitions. */
function filled(keys: readonly string[]): string[] {
  return [...new Set(keys)].filter((key) => key !== '');
}

export function switchedOff(provider: ProviderEntry): boolean {
  return provider.only_if === '';
}

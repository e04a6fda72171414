/** Whether each provider accepts its key, is at its address, and has the models that routes name. */
import type { Catalog } from '../../catalog/catalog.ts';
import { dialectFacts } from '../../catalog/dialects/dialects.ts';
import type { ProviderSettings } from '../../catalog/provider-settings.ts';
import { Redactor } from '../../kernel/redactor.ts';
import type { Clock } from '../../kernel/time.ts';
import { adapters } from '../../providers/adapters.ts';
import type { ProviderProbe } from '../../providers/probe-provider.ts';
import type { ProviderTools } from '../../providers/provider.ts';
import { ProviderMask } from '../../providers/provider-mask.ts';
import type { Settings } from '../settings.ts';
import { judgeSkew } from './check-clock.ts';
import { bounded, CHECK_MS_MAX, type CheckResult, type Finding, failure, fine, warning } from './finding.ts';

const NAMES_SHOWN_MAX = 10;

export async function checkProviders(
  { catalog, settings }: { catalog: Catalog; settings: Settings },
  clock: Clock,
): Promise<Finding[]> {
  const tools = probeTools(settings, clock);
  tools.mask.learn(catalog.providers);
  const found = await Promise.all(
    catalog.providers.flatMap((provider) =>
      keysOf(provider).map((keyed) => checkOne(keyed, modelsOf(catalog, provider.name), { settings, tools })),
    ),
  );
  return found.flat();
}

/** A provider with one of its keys. */
interface KeyedProvider extends ProviderSettings {
  /** Where the key is in the configuration. */
  readonly keyPath: string;
  readonly check: string;
}

function keysOf(provider: ProviderSettings): KeyedProvider[] {
  const { name, apiKey, moreKeys } = provider;
  const check = `provider ${name}`;
  if (moreKeys === undefined) return [{ ...provider, check, keyPath: `providers.${name}.api_key` }];
  return [apiKey, ...moreKeys].map((key, i) => ({
    ...provider,
    apiKey: key,
    check: `${check}, key ${i + 1}`,
    keyPath: `providers.${name}.api_keys[${i}]`,
  }));
}

async function checkOne(
  provider: KeyedProvider,
  models: readonly string[],
  { settings, tools }: { settings: Settings; tools: ProviderTools },
): Promise<Finding[]> {
  const { name, baseUrl, check } = provider;
  // The simulator of the demo runs only together with its server.
  if (settings.demo && provider.simulated) return [{ check, ...fine('simulated by the demo') }];
  const next = `Check providers.${name}.base_url (${shown(baseUrl)}), DNS, the firewall and the proxy.`;
  return await bounded(check, { clock: tools.clock, next }, async (signal) => {
    const before = tools.clock.now();
    const probe = await adapters[provider.dialect].probe(provider, models, { tools, signal });
    return [...judge(provider, models, probe), ...judgeDate(probe, before, tools.clock.now())];
  });
}

function judge(provider: KeyedProvider, models: readonly string[], probe: ProviderProbe): CheckResult[] {
  const { name, baseUrl, keyPath } = provider;
  const { outcome, status, betterUrl, unlisted } = probe;
  if (outcome === 'refused') {
    const where = `${keyPath}, or the variable or file that it names`;
    return provider.apiKey.empty
      ? [failure(`api_key is empty, and the provider wants a key (status ${status})`, `Set ${where}.`)]
      : [failure(`the provider does not accept the key (status ${status})`, `Correct ${where}.`)];
  }
  if (outcome === 'failing')
    return [
      warning(`answers with status ${status}`, 'Try again later; the key and the models were not checked.'),
    ];
  if (outcome === 'address') {
    const where = `${shown(baseUrl)} has no list of models (status ${status})`;
    return betterUrl === null
      ? [failure(where, `Check providers.${name}.base_url and its dialect, ${provider.dialect}.`)]
      : [
          failure(
            `${where}, but ${shown(betterUrl)} has one`,
            `Write providers.${name}.base_url: ${shown(betterUrl)}`,
          ),
        ];
  }
  const empty = provider.apiKey.empty && !provider.simulated && !dialectFacts[provider.dialect].keyless;
  return [
    ...(empty
      ? [
          warning(
            'api_key is empty',
            `Set ${keyPath}, or the variable that it names, or remove the provider.`,
          ),
        ]
      : []),
    judgeModels(models, unlisted),
  ];
}

function judgeModels(models: readonly string[], unlisted: readonly string[] | null): CheckResult {
  if (unlisted === null) return fine('key and address are right; it has no list of models to compare with');
  if (unlisted.length === 0)
    return fine(
      `key and address are right; it has ${models.length === 1 ? 'the model' : `all ${models.length} models`} of the routes`,
    );
  const names = unlisted.slice(0, NAMES_SHOWN_MAX).join(', ');
  const more = unlisted.length > NAMES_SHOWN_MAX ? ` and ${unlisted.length - NAMES_SHOWN_MAX} more` : '';
  return warning(
    `key and address are right, but it does not list: ${names}${more}`,
    'Check the spelling in the routes, and whether the key may use these models. Some providers do not list aliases.',
  );
}

/** A `Date` header has whole seconds. */
function judgeDate({ date }: ProviderProbe, before: number, after: number): CheckResult[] {
  const at = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(at)) return [];
  const found = judgeSkew((before + after) / 2 - (at + 500), 'this provider');
  return found.status === 'ok' ? [] : [found];
}

function modelsOf({ models }: Catalog, provider: string): string[] {
  const routes = [...models.values()].flatMap((model) => model.routes);
  return [
    ...new Set(
      routes.filter((route) => route.provider === provider).map(({ upstreamModel }) => upstreamModel),
    ),
  ];
}

function probeTools({ proxies }: Settings, clock: Clock): ProviderTools {
  const timeouts = { connectTimeoutMs: CHECK_MS_MAX, silenceTimeoutMs: CHECK_MS_MAX };
  const totals = { callTotalMs: CHECK_MS_MAX, transferTotalMs: CHECK_MS_MAX };
  return { clock, ...timeouts, ...totals, proxies, mask: new ProviderMask(new Redactor()) };
}

/** Without credentials. */
function shown(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname.replace(/\/$/, '')}`;
}

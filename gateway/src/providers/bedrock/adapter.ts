/** Bedrock's dialect, as the registry has it. */
import type { DialectAdapter } from '../dialect-adapter.ts';
import { probeEachModel } from '../probe-provider.ts';
import { bedrockProvider } from './bedrock-provider.ts';

export const bedrockAdapter: DialectAdapter = {
  create: bedrockProvider,
  probe: probeEachModel(
    bedrockProvider,
    (status, body) => status === 404 || (status === 400 && /model identifier is invalid/i.test(body)),
  ),
};

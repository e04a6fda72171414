/** dump */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, test } from 'vitest';
import { chatFields } from '../fields/fields-chat.ts';
import { messagesFields } from '../fields/fields-messages.ts';
import { responsesFields } from '../fields/fields-responses.ts';
import { Observer } from '../fields/observe.ts';
import { fieldsConfig, places } from '../fields/places.ts';
import { type RecordingProvider, startRecordingProvider } from '../fields/recording-provider.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let provider: RecordingProvider;
let gateway: TestGateway;
beforeAll(async () => {
  provider = await startRecordingProvider();
  gateway = await startGateway({ config: fieldsConfig(provider.origin) });
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

test('dump', async () => {
  const observer = new Observer(gateway, provider);
  const out: any = {};
  for (const [format, fields] of Object.entries({
    chat: chatFields,
    responses: responsesFields,
    messages: messagesFields,
  })) {
    out[format] = {};
    for (const [name, field] of Object.entries(fields)) {
      const row: any = (out[format][name] = {});
      for (const place of places) {
        if (place.speaks.includes(format as any) && place.vendor) continue;
        try {
          const seen: any = await observer.observe(format as any, field as any, place);
          row[place.name] = seen.rejected !== undefined ? `REJ ${seen.rejected}` : seen.sent;
        } catch (e) {
          row[place.name] = `ERR ${String(e).slice(0, 300)}`;
        }
      }
    }
  }
  writeFileSync('/tmp/fields.json', JSON.stringify(out, null, 1));
}, 200_000);

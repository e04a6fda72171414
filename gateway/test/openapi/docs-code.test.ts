/** Code that the pages of the API show is run as it stands there, by readers who set only their credentials. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { samples } from '../../src/contract/samples.ts';
import { ExampleStage } from '../support/example-stage.ts';
import { runShownCode } from '../support/run-shown-code.ts';
import { CodeRunner, codeBlocks, hasPython } from '../support/shown-code.ts';

describe('the first call', () => {
  let stage: ExampleStage;
  let code: CodeRunner;
  beforeAll(async () => {
    stage = await ExampleStage.start();
    code = await CodeRunner.start(stage.url, { TOLLGATE_KEY: stage.gatewayKey });
  });
  afterAll(async () => {
    code.stop();
    await stage.stop();
  });

  const shown = samples.filter(({ id }) => id !== 'env' && (id !== 'python' || hasPython));

  test.each(shown.map(({ id }) => id))('works in the demo as the page shows it: %s', async (id) => {
    const page = await (await fetch(`${stage.url}/docs`)).text();
    const [, part = ''] = page.split(`<section id="first-call-${id}">`);
    const [text = ''] = codeBlocks(part);
    const { printed, reply } = await code.run(id, text.replaceAll(/http:\/\/localhost:\d+/g, code.url));
    expect(reply.status, reply.text).toBe(200);
    expect(printed).toContain('It works');
  });
});

test('every model call that the pages show for curl succeeds', async () => {
  const tags = ['Chat', 'Responses', 'Messages', 'Embeddings', 'Images', 'Models'];
  const { run, failed } = await runShownCode('curl', { tags });
  expect(failed).toEqual([]);
  expect(run).toBeGreaterThan(10);
});

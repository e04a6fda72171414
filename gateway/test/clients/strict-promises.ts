/** What the helpers of client libraries are promised on models as strict as the real ones. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DialectCase, matrixConfig, modelCode, takesSchemas } from '../matrix/dialects.ts';
import { strictCases } from '../matrix/strict-models.ts';
import type { Engine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type Library, type LibraryUse, ToolBench, Weather } from './library.ts';

/** DeepSeek has no schemas for answers, in any format. */
const fits = (dialect: DialectCase): boolean => dialect.name !== 'deepseek-v4-pro' && takesSchemas(dialect);

export function describeStrictly(engines: readonly Engine[], uses: readonly LibraryUse[]): void {
  describe.each(engines)('strict models on %s', (engine) => {
    let gateway: TestGateway;
    beforeAll(async () => {
      gateway = await startGateway({ engine, config: matrixConfig(strictCases) });
    });
    afterAll(() => gateway.stop());

    describe.each(uses.map((use) => [use.name, use] as const))('%s', (_, use) => {
      let library: Library;
      beforeAll(() => {
        library = use.open(gateway);
      });

      const each = test.each(strictCases.map((model) => [model.name, model] as const));

      each('runs tools on %s, with and without thoughts, whole and streamed', async (_, dialect) => {
        const model = modelCode(dialect, 'thinking');
        for (const thinks of [false, true]) {
          for (const way of ['useTools', 'streamTools'] as const) {
            const bench = new ToolBench();
            const prompt = 'Ask get_weather and get_time about 서울';
            const { text } = await library[way]({ model, prompt, thinks }, bench);
            expect(bench.used.map(({ tool }) => tool)).toEqual(['get_weather', 'get_time']);
            expect(text).toContain('21 degrees');
          }
        }
      });

      each('has thoughts and an answer from %s', async (_, dialect) => {
        const asking = {
          model: modelCode(dialect, 'thinking'),
          prompt: 'Reply with exactly: done',
          thinks: true,
        };
        expect(await library.ask(asking)).toMatchObject({ text: 'done' });
        expect(await library.stream(asking)).toMatchObject({ text: 'done' });
      });

      test.each(strictCases.filter(fits).map((model) => [model.name, model] as const))(
        'has an answer of %s that fits a schema',
        async (_, dialect) => {
          const asking = { model: modelCode(dialect), prompt: 'How is the weather in 서울?' };
          for (const way of ['fill', 'streamFill'] as const) {
            const { value } = await library[way](asking);
            expect(Weather.parse(value)).toEqual(value);
          }
        },
      );
    });
  });
}

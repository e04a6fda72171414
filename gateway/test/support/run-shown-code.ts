/** Runs all code of one language on the pages of the API, in the order in which its examples need each other. */
import { docsOf, documentation } from '../../src/contract/documentation/documentation.ts';
import type { Example, ExampleFile } from '../../src/contract/documentation/operation-docs.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import type { RequestLanguage } from '../../src/contract/request-code.ts';
import { pathOfTag } from '../../src/http/docs-page/write-layout.ts';
import { type ExampleReply, ExampleRunner } from './example-runner.ts';
import { demoWithEveryEndpoint, ExampleStage } from './example-stage.ts';
import { CodeRunner, codeBlocks, operationsOn } from './shown-code.ts';

/** What was run, and what was answered with something else than success. */
export interface ShownRun {
  readonly run: number;
  readonly failed: readonly string[];
}

/** `tags`: only the code of these. */
export async function runShownCode(
  language: RequestLanguage,
  { tags }: { tags?: readonly string[] } = {},
): Promise<ShownRun> {
  const stage = await ExampleStage.start({ config: demoWithEveryEndpoint });
  const session = await stage.session('getSession');
  const code = await CodeRunner.start(stage.url, {
    TOLLGATE_KEY: stage.gatewayKey,
    TOLLGATE_MANAGEMENT_KEY: stage.managementKey,
    TOLLGATE_SESSION: session,
    TOLLGATE_TOKEN: session,
  });
  try {
    const shown = await readPages(stage.url, language);
    const failed: string[] = [];
    let count = 0;
    const runner = new ExampleRunner(stage, {
      async sendExample(name, example, values) {
        const text = shown(name, example);
        for (const part of Object.values(example.form ?? {})) if (isFile(part)) writeFile(code, part);
        const origin = /https?:\/\/localhost:\d+/g;
        const filled = values.reduce((all, [from, to]) => all.replaceAll(from, to), text);
        count++;
        // Who signs out ends a session of their own.
        const env = { TOLLGATE_SESSION: await stage.session(name) };
        return (await code.run(language, filled.replaceAll(origin, code.url), env)).reply;
      },
    });
    for (const name of Object.keys(endpoints) as EndpointName[]) {
      const { tag = '', docs } = docsOf(name) ?? {};
      if (tags !== undefined && !tags.includes(tag)) continue;
      for (const example of docs?.examples ?? []) {
        if (example.notSent !== undefined) continue;
        const reply: ExampleReply = await runner.run(name, example);
        if (reply.status !== 200) failed.push(`${name}, ${example.title}: ${reply.status} ${reply.text}`);
      }
    }
    return { run: count, failed };
  } finally {
    code.stop();
    await stage.stop();
  }
}

/** Finds the code of an example on the page of its tag. */
async function readPages(
  url: string,
  language: RequestLanguage,
): Promise<(name: EndpointName, example: Example) => string> {
  const code = new Map<string, string[]>();
  for (const { tag } of documentation) {
    const reply = await fetch(url + pathOfTag(tag));
    for (const [anchor, part] of operationsOn(await reply.text()))
      code.set(anchor, codeBlocks(part, language));
  }
  return (name, example) => {
    const endpoint: Endpoint = endpoints[name];
    const anchor =
      endpoint.operationId ?? name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
    const text = code.get(anchor)?.[docsOf(name)?.docs.examples.indexOf(example) ?? -1];
    if (text === undefined) throw new Error(`the page has no code in ${language} for ${name}`);
    return text;
  };
}

function isFile(part: unknown): part is ExampleFile {
  return typeof part === 'object' && part !== null && 'content' in part;
}

function writeFile(code: CodeRunner, { filename, content }: ExampleFile): void {
  code.writeFile(filename, 'text' in content ? content.text : Buffer.from(content.base64, 'base64'));
}

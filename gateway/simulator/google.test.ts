import { describe, expect, test } from 'vitest';
import { encodePng } from './brain/png.ts';
import { countTokens } from './brain/tokens.ts';
import type { Wire } from './testing/call-simulator.ts';
import { call, declared, generate, partsOf, say, simulator, stream, user } from './testing/gemini-stage.ts';

describe('a reply', () => {
  test('has the fields of Google, and its thoughts are counted apart', async () => {
    const reply = await say('Reply with exactly: hi', {
      systemInstruction: { parts: [{ text: '[[cached 2]] Brief.' }] },
    });
    const input = countTokens('Reply with exactly: hi') + countTokens('[[cached 2]] Brief.');
    const { thoughtsTokenCount = 0 } = reply.usageMetadata;
    expect(thoughtsTokenCount).toBeGreaterThan(0);
    expect(reply).toEqual({
      candidates: [{ content: { parts: [{ text: 'hi' }], role: 'model' }, index: 0, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: 1,
        totalTokenCount: input + 1 + thoughtsTokenCount,
        cachedContentTokenCount: 2,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
        thoughtsTokenCount,
      },
      modelVersion: 'sim-chat',
      responseId: expect.stringMatching(/^\w{23}$/),
    });
  });

  test('takes its fields in snake_case as well', async () => {
    const reply = await say('Reply with exactly: one two', {
      generation_config: { stop_sequences: [' two'], max_output_tokens: 500 },
      system_instruction: { parts: [{ text: 'Brief.' }] },
    });
    expect(partsOf(reply)).toEqual([{ text: 'one' }]);
  });

  test('thinks no more than asked, and aloud where asked', async () => {
    const config = (thinkingConfig: Wire): Wire => ({ generationConfig: { thinkingConfig } });
    const aloud = await say(
      'Reply with exactly: hi',
      config({ includeThoughts: true, thinkingLevel: 'low' }),
    );
    expect(partsOf(aloud)).toEqual([
      { text: expect.stringMatching(/^Thinking about: /), thought: true },
      { text: 'hi' },
    ]);
    const none = await say('hi', config({ thinkingBudget: 0 }));
    expect(none.usageMetadata).not.toHaveProperty('thoughtsTokenCount');
  });

  test.each<[string, Wire, string]>([
    ['Tell me.', { generationConfig: { maxOutputTokens: 6 } }, 'MAX_TOKENS'],
    ['[[filter]]', {}, 'SAFETY'],
    ['[[refuse]]', {}, 'STOP'],
  ])('to %s %j finishes with %s', async (prompt, more, finishReason) => {
    expect((await say(prompt, more)).candidates[0]?.finishReason).toBe(finishReason);
  });

  test('to a blocked prompt has a reason and no candidates', async () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 6 } };
    const whole = await say('[[block]] Tell me more.');
    expect(whole).toMatchObject(blocked);
    expect(whole).not.toHaveProperty('candidates');
    expect(await stream('[[block]] Tell me more.')).toMatchObject([blocked]);
  });

  test('fits a schema of Google’s kind and of JSON Schema’s', async () => {
    const responseSchema = { type: 'OBJECT', properties: { n: { type: 'INTEGER' } }, required: ['n'] };
    const responseJsonSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    for (const schema of [{ responseSchema }, { responseJsonSchema }]) {
      const reply = await say('Tell me.', {
        generationConfig: { responseMimeType: 'application/json', ...schema },
      });
      expect(JSON.parse(partsOf(reply)[0]?.text as string)).toEqual({ n: expect.any(Number) });
    }
  });

  test('comes several times where asked, each with its index', async () => {
    const more = { generationConfig: { candidateCount: 2 } };
    expect((await say('Tell me.', more)).candidates.map((it) => it.index)).toEqual([0, 1]);
    const frames = await stream('Tell me.', more);
    expect(frames.slice(0, 4).map((frame) => frame.candidates[0]?.index)).toEqual([0, 1, 0, 1]);
  });

  test('sees pictures by their bytes or their address, and draws', async () => {
    const data = encodePng({ red: 250, green: 0, blue: 0 }, 8).toString('base64');
    const look = async (part: Wire): Promise<unknown> =>
      partsOf(await generate({ contents: [user({ text: 'What?' }, part)] }))[0]?.text;
    expect(await look({ inlineData: { mimeType: 'image/png', data } })).toContain('red');
    expect(
      await look({ fileData: { mimeType: 'image/png', fileUri: 'https://127.0.0.1:1/a.png' } }),
    ).toContain('https://127.0.0.1:1/a.png');
    const drawn = await say(
      'A blue one',
      { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
      'sim-image-chat',
    );
    const picture = partsOf(drawn).at(-1) as Wire;
    expect(await look(picture)).toContain('blue');
  });

  test('can be counted beforehand', async () => {
    const request = { contents: [user({ text: 'Tell me.' })], tools: [declared] };
    const { usageMetadata } = await generate(request);
    const counted = await call('countTokens', {
      generateContentRequest: { model: 'models/sim-chat', ...request },
    });
    expect(JSON.parse(counted.text)).toMatchObject({ totalTokens: usageMetadata.promptTokenCount });
  });
});

describe('functions', () => {
  const called = { functionCall: { name: 'get_time', args: {} } };
  const answered = { functionResponse: { name: 'get_time', response: { result: 'half past nine' } } };
  const history = (calls: Wire[], responses: Wire[]): Wire => ({
    tools: [declared],
    contents: [user({ text: 'get_time' }), { role: 'model', parts: calls }, user(...responses)],
  });

  test('are called whole, the first with a signature', async () => {
    const expected = [
      {
        functionCall: { name: 'get_weather', args: { city: 'Daejeon' } },
        thoughtSignature: expect.any(String),
      },
      { functionCall: { name: 'get_time', args: {} } },
    ];
    const prompt = 'get_weather and get_time';
    expect(partsOf(await say(prompt, { tools: [declared] }))).toEqual(expected);
    const frames = await stream(prompt, { tools: [declared] });
    expect(partsOf(...frames)).toEqual([...expected, { text: '' }]);
    expect(frames.at(-1)?.candidates[0]?.finishReason).toBe('STOP');
  });

  test.each<[Wire, string, string[]]>([
    [{ mode: 'ANY' }, 'hello', ['get_weather']],
    [{ mode: 'ANY', allowedFunctionNames: ['get_time'] }, 'get_weather', ['get_time']],
    [{ mode: 'NONE' }, 'get_weather', []],
  ])('are chosen by %j', async (functionCallingConfig, prompt, names) => {
    const reply = await say(prompt, { tools: [declared], toolConfig: { functionCallingConfig } });
    const calls = partsOf(reply).filter((part) => part.functionCall !== undefined);
    expect(calls.map((part) => (part.functionCall as Wire).name)).toEqual(names);
  });

  test('that answered are quoted', async () => {
    expect(partsOf(await generate(history([called], [answered])))[0]?.text).toContain('half past nine');
  });

  test('have to be answered by as many responses, in one turn', async () => {
    const refused = async (body: Wire): Promise<string> => (await generate(body)).error.message;
    expect(await refused(history([called, called], [answered]))).toContain(
      'number of function response parts',
    );
    expect(await refused({ contents: [user({ text: 'x' }), user(answered)] })).toContain(
      'function response turn',
    );
    expect(await refused({ contents: [{ role: 'model', parts: [called] }] })).toContain('function call turn');
  });

  test('of sim-signed-calls have an id, and want their signature back', async () => {
    const model = 'sim-signed-calls';
    const [part = {}] = partsOf(await say('get_time', { tools: [declared] }, model));
    expect(part).toMatchObject({ functionCall: { id: expect.any(String) } });
    const error = async (given: Wire): Promise<string | undefined> =>
      (await generate(history([given], [answered]), model)).error?.message;
    expect(await error(part)).toBeUndefined();
    expect(await error({ ...called, thoughtSignature: 'skip_thought_signature_validator' })).toBeUndefined();
    expect(await error(called)).toContain('missing a thought_signature');
    expect(await error({ ...called, thoughtSignature: `AAAA${part.thoughtSignature}` })).toBe(
      'Corrupted thought signature.',
    );
  });
});

describe('a stream', () => {
  test('tells a growing usage in every frame and the finish in the last', async () => {
    const frames = await stream('Write 30 words.', {
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    });
    const outputs = frames.map((frame) => frame.usageMetadata.candidatesTokenCount ?? 0);
    expect(outputs).toEqual([...outputs].sort((a, b) => a - b));
    expect(outputs[0]).toBeLessThan(outputs.at(-1) as number);
    expect(new Set(frames.map((frame) => frame.usageMetadata.thoughtsTokenCount)).size).toBe(1);
    const finishes = frames.map((frame) => frame.candidates[0]?.finishReason);
    expect(finishes.filter((finish) => finish !== undefined)).toEqual(['STOP']);
    expect(finishes.at(-1)).toBe('STOP');
    expect(partsOf(...frames)[0]).toMatchObject({ thought: true });
  });

  test('ends its lines with CRLF, has no [DONE], and wants alt=sse', async () => {
    const body = { contents: [user({ text: 'Tell me.' })] };
    const { text } = await call('streamGenerateContent?alt=sse', body);
    expect(text).toMatch(/^data: \{.*\}\r\n\r\n/);
    expect(text).not.toContain('[DONE]');
    expect((await call('streamGenerateContent', body)).status).toBe(400);
  });
});

describe('a request is turned down as Google would', () => {
  const generation = (generationConfig: Wire): Wire => ({ generationConfig });
  test.each<[string, Wire, string]>([
    [
      'a foreign field',
      { seed: 1 },
      'Invalid JSON payload received. Unknown name "seed": Cannot find field.',
    ],
    [
      'foreign fields, all listed at once',
      { contents: [user({ text: 'x', a: 1 })], generationConfig: { b: 1 } },
      'Invalid JSON payload received. Unknown name "a" at \'contents[0].parts[0]\': Cannot find field.\n' +
        'Invalid JSON payload received. Unknown name "b" at \'generation_config\': Cannot find field.',
    ],
    [
      'JSON Schema where Google has its own',
      {
        tools: [
          {
            functionDeclarations: [
              { name: 'a', parameters: { type: 'OBJECT', properties: { x: { type: 'STRING', const: 1 } } } },
            ],
          },
        ],
      },
      'Invalid JSON payload received. Unknown name "const" at ' +
        "'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.",
    ],
    ['no contents', { contents: [] }, '* GenerateContentRequest.contents: contents is not specified\n'],
    [
      'a strange role',
      { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] },
      'Please use a valid role: user, model.',
    ],
    [
      'an empty part',
      { contents: [user({})] },
      "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field\n",
    ],
    [
      'pictures from a model of words',
      generation({ responseModalities: ['IMAGE'] }),
      'Model does not support the requested response modalities: image',
    ],
    [
      'two ways to limit thinking',
      generation({ thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } }),
      'You can only set only one of thinking budget and thinking level.',
    ],
  ])('%s', async (_, body, message) => {
    expect((await say('hi', body)).error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT', message });
  });

  test('too long a prompt, no such model, no such path', async () => {
    expect((await say('x'.repeat(4_004), {}, 'sim-small-context')).error.message).toBe(
      'The input token count (1001) exceeds the maximum number of tokens allowed (1000).',
    );
    expect((await say('hi', {}, 'gemini-none')).error).toMatchObject({ code: 404, status: 'NOT_FOUND' });
    const elsewhere = await call('dream', {});
    expect(JSON.parse(elsewhere.text)).toMatchObject({ error: { status: 'NOT_FOUND' } });
  });

  test('a full quota, with the time to come back in its details', async () => {
    const { error } = await say('[[fault error-429]] hi');
    expect(error.details?.at(-1)).toMatchObject({ retryDelay: '1s' });
  });
});

test('the models are listed page by page', async () => {
  const names: string[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const answer = await fetch(`${simulator.origin}/v1beta/models?pageSize=30&pageToken=${token}`);
    const page = (await answer.json()) as { models: Array<{ name: string }>; nextPageToken?: string };
    names.push(...page.models.map((model) => model.name));
    token = page.nextPageToken;
  }
  expect(names).toEqual(expect.arrayContaining(['models/sim-chat', 'models/sim-fault-hang']));
  expect(new Set(names).size).toBe(names.length);
});

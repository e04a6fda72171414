/** Conversations in the playground: every model goes on from its own answers, in the format of each kind of call. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { expectSound } from '../support/console-browser.ts';
import { answerOf, PlaygroundStage, send } from '../support/playground-stage.ts';

const MODEL = 'sim-chat-classic';
const MODES = ['chat', 'responses', 'messages'] as const;

interface Said {
  readonly role?: string;
  readonly type?: string;
  readonly content?: unknown;
}

describe.skipIf(!hasBrowser)('a conversation in the playground', () => {
  let stage: PlaygroundStage;
  beforeAll(async () => {
    stage = await PlaygroundStage.start({ paceMs: 0 });
  });
  afterAll(() => stage?.stop());

  /** The conversation that the provider was sent with these words: as chat, or as it was if it speaks responses. */
  async function seenWith(text: string, model = MODEL): Promise<readonly Said[]> {
    const call = await stage.gateway.simulator.waitFor(
      (one) => one.text.includes(text) && one.model === model,
    );
    const { messages, input } = JSON.parse(call.text) as { messages?: Said[]; input?: Said[] };
    return messages ?? input ?? [];
  }

  test.each(MODES)('continues in %s, with tokens and units under each answer', async (mode) => {
    const opened = await stage.ready(`?models=${MODEL}&mode=${mode}`);
    const { page } = opened;
    await send(page, `Reply with exactly: one ${mode}`);
    await answerOf(page, MODEL).getByText('Finished').waitFor();
    expect(await page.getByLabel('Next message').inputValue()).toBe('');
    await send(page, `Reply with exactly: two ${mode}`);
    await answerOf(page, MODEL, 2).getByText('Finished').waitFor();
    const seen = await seenWith(`exactly: two ${mode}`);
    expect(seen.map(({ role, content }) => [role, content])).toEqual([
      ['user', `Reply with exactly: one ${mode}`],
      ['assistant', `one ${mode}`],
      ['user', `Reply with exactly: two ${mode}`],
    ]);
    for (const number of [1, 2]) {
      const answer = answerOf(page, MODEL, number);
      expect(await answer.locator('p').first().textContent()).toBe(`${['one', 'two'][number - 1]} ${mode}`);
      const [shown, charged] = await stage.costs(answer);
      expect(shown).toBe(charged);
      expect(shown).toMatch(/^0\.0000\d+$/);
      expect(await answer.getByText('Tokens in').locator('..').locator('dd').textContent()).toMatch(/^\d+$/);
    }
    await expectSound(opened);
  });

  test('a new conversation forgets what was said', async () => {
    const { page } = await stage.ready(`?models=${MODEL}`);
    await send(page, 'Reply with exactly: forget me');
    await answerOf(page, MODEL).getByText('Finished').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('The answer appears here as it is made.').waitFor();
    await send(page, 'Reply with exactly: a fresh start');
    await answerOf(page, MODEL).getByText('a fresh start').waitFor();
    expect(await seenWith('a fresh start')).toHaveLength(1);
    expect(await page.getByText('forget me').count()).toBe(0);
  });

  test('side by side each model goes on from its own answer', async () => {
    const models = [MODEL, 'sim-image-chat'];
    const opened = await stage.ready(`?models=${models.join(',')}`);
    const { page } = opened;
    await send(page, 'Say five words about a red gate');
    const first: string[] = [];
    for (const model of models) {
      await answerOf(page, model).getByText('Finished').waitFor();
      first.push((await answerOf(page, model).locator('p').first().textContent()) as string);
    }
    expect(first[0]).not.toBe(first[1]);
    await send(page, 'And five more, please');
    for (const [place, model] of models.entries()) {
      await answerOf(page, model, 2).getByText('Finished').waitFor();
      const [, answered] = await seenWith('five more', model);
      expect(answered).toMatchObject({ role: 'assistant', content: first[place] });
    }
    await expectSound(opened);
  });

  test.each(MODES)('in %s the message after a tool call is its result', async (mode) => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const described = {
      chat: { type: 'function', function: { name: 'get_weather', parameters } },
      responses: { type: 'function', name: 'get_weather', parameters, strict: false },
      messages: { name: 'get_weather', input_schema: parameters },
    };
    const { page } = await stage.ready(`?models=${MODEL}&mode=${mode}`);
    await page.getByLabel('Tools').fill(JSON.stringify([described[mode]]));
    await send(page, 'Use get_weather');
    await page.getByText('Your next message is sent as the result of this call.').waitFor();
    await send(page, `21 degrees in ${mode}`);
    const said = answerOf(page, MODEL, 2).getByText(`The tool answered: 21 degrees in ${mode}`);
    await said.waitFor();
    const seen = await seenWith(`21 degrees in ${mode}`);
    expect(seen.map(({ role, type }) => role ?? type)).toEqual(
      mode === 'responses'
        ? ['user', 'function_call', 'function_call_output']
        : ['user', 'assistant', 'tool'],
    );
  });

  test('a message that got no answer is offered again, and is no part of the conversation', async () => {
    const { page } = await stage.ready(`?models=${MODEL}`);
    await send(page, '[[fault error-400]] Hello');
    await page.locator('section[data-phase=failed]').waitFor();
    expect(await page.getByLabel('Next message').inputValue()).toBe('[[fault error-400]] Hello');
    await send(page, 'Reply with exactly: better now');
    await answerOf(page, MODEL, 2).getByText('better now').waitFor();
    expect(await seenWith('better now')).toHaveLength(1);
  });

  test('with other models the next message begins a new conversation, and the page says so', async () => {
    const { page } = await stage.ready(`?models=${MODEL}`);
    await send(page, 'Reply with exactly: old talk');
    await answerOf(page, MODEL).getByText('Finished').waitFor();
    await page.getByLabel('Model 1').selectOption('sim-text-only');
    await page.getByText('the next message begins a new conversation').waitFor();
    await send(page, 'Reply with exactly: new talk');
    await answerOf(page, 'sim-text-only').getByText('new talk').waitFor();
    expect(await seenWith('exactly: new talk', 'sim-text-only')).toHaveLength(1);
    expect(await page.getByText('old talk').count()).toBe(0);
  });
});

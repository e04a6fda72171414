/** What a model would say to a prompt if nothing stopped it: no cap, no stop sequence. */
import { callTool, forcedTools, namedTools, scriptedCalls } from './choose-tools.ts';
import { chooseColour, dominantColour, drawColour } from './colours.ts';
import { fitSchema } from './fit-schema.ts';
import type { ModelTraits } from './models.ts';
import { paintPrompt } from './paint-prompt.ts';
import { decodePng, type Picture } from './png.ts';
import {
  askedText,
  type Choice,
  lastUserTurn,
  type PictureAsked,
  type Prompt,
  type SeenImage,
  type ToolCall,
} from './prompt.ts';
import { withoutCues } from './without-cues.ts';
import { type Dice, writeSentences } from './words.ts';

/** A picture that claims to be a PNG file and is none. */
export class ImageUnreadable extends Error {
  override readonly name = 'ImageUnreadable';
}

const EXACTLY = /reply with exactly: ?([\s\S]*)$/i;
const WORDS_THOUGHT_ABOUT = 12;

export function composeChoice(prompt: Prompt, traits: ModelTraits, dice: Dice): Choice {
  const asked = askedText(prompt);
  const picture = prompt.picture ?? null;
  if (asked.includes('[[filter]]')) {
    return say(picture === null ? writeSentences('6 words', dice) : '', 'content_filter');
  }
  if (asked.includes('[[refuse]]')) {
    return { ...say(''), refusal: "I'm sorry, but I can't help with that request." };
  }
  if (picture !== null) return paint(prompt, picture, dice);
  const exact = exactAnswer(prompt, asked);
  const toolCalls = callsFor(prompt, { exact: exact !== null, dice });
  if (toolCalls.length > 0) return { ...say('', 'tool_calls'), toolCalls };
  if (!traits.drawsImages) return say(exact ?? composeText(prompt, asked, dice));
  const colour = chooseColour(asked, dice);
  const spoken =
    exact ?? (prompt.format === 'text' ? `Here is a ${colour} image.` : composeText(prompt, asked, dice));
  return { ...say(spoken), images: [drawColour(colour)] };
}

/** A picture that shows the prompt, over the one that came with it. */
function paint(prompt: Prompt, asked: PictureAsked, dice: Dice): Choice {
  const text = askedText(prompt);
  const given = lastUserTurn(prompt)?.images.find((image) => image.kind === 'bytes');
  const under = given?.mediaType === 'image/png' ? readPng(given.bytes) : null;
  const colour = chooseColour(text, dice);
  const image = paintPrompt(text, { ...asked, colour, under, transparent: false });
  return { ...say(asked.alone ? '' : `Here is a ${colour} image.`), images: [image] };
}

/** What a model thinks before it answers: the same for the same prompt. */
export function composeReasoning(prompt: Prompt): string {
  const words = withoutCues(askedText(prompt)).trim().split(/\s+/).slice(0, WORDS_THOUGHT_ABOUT);
  return `Thinking about: ${words.join(' ')}…`;
}

function callsFor(prompt: Prompt, { exact, dice }: { exact: boolean; dice: Dice }): readonly ToolCall[] {
  const forced = forcedTools(prompt);
  if (forced.length === 0 && (exact || prompt.turns.at(-1)?.role === 'tool')) return [];
  const scripted = scriptedCalls(prompt);
  if (scripted.length > 0) return scripted;
  return (forced.length > 0 ? forced : namedTools(prompt)).map((tool) => callTool(tool, dice));
}

function composeText(prompt: Prompt, asked: string, dice: Dice): string {
  if (typeof prompt.format === 'object') return JSON.stringify(fitSchema(prompt.format.schema, dice));
  const prose = composeProse(prompt, asked, dice);
  return prompt.format === 'object' ? JSON.stringify({ answer: prose }) : prose;
}

function composeProse(prompt: Prompt, asked: string, dice: Dice): string {
  const results = trailingToolResults(prompt);
  if (results.length > 0) return `The tool answered: ${results.join('\n')}`;
  const images = lastUserTurn(prompt)?.images ?? [];
  if (images.length > 0) return images.map(describeImage).join(' ');
  return writeSentences(asked, dice);
}

/** A model that is held to a schema cannot say anything else, whatever the prompt asks for. */
function exactAnswer({ format }: Prompt, asked: string): string | null {
  const exact = exactText(asked);
  return exact === null || typeof format !== 'object' || isJson(exact) ? exact : null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function exactText(asked: string): string | null {
  return EXACTLY.exec(withoutCues(asked))?.[1] ?? null;
}

function trailingToolResults(prompt: Prompt): string[] {
  const from = prompt.turns.findLastIndex((turn) => turn.role !== 'tool') + 1;
  return prompt.turns.slice(from).map(({ text, images }) => {
    const seen = images.map(describeImage).join(' ');
    return text === '' || seen === '' ? text + seen : `${text}\n${seen}`;
  });
}

function describeImage(image: SeenImage): string {
  if (image.kind === 'address') return `I see an image at ${image.url}.`;
  if (image.mediaType !== 'image/png') return `I see an image of type ${image.mediaType}.`;
  return `The image is mostly ${dominantColour(readPng(image.bytes))}.`;
}

function readPng(bytes: Buffer): Picture {
  const picture = decodePng(bytes);
  if (picture === null) throw new ImageUnreadable('the bytes are not a PNG file');
  return picture;
}

function say(text: string, finish: Choice['finish'] = 'stop'): Choice {
  return { reasoning: '', text, refusal: null, toolCalls: [], images: [], finish, stoppedBy: null };
}

/** Checks the content blocks of a message, as strictly as Anthropic does. */
import type { ModelTraits } from '../brain/models.ts';
import { type Json, record } from '../json.ts';
import type { Betas } from './read-betas.ts';
import { checkFields, invalid, required, shouldBe } from './refusals.ts';
import { isSealed, isSigned } from './thinking.ts';

export interface ReadOptions {
  readonly traits: ModelTraits;
  readonly betas: Betas;
}

export type Block = Json & { readonly type: string };

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['type', 'text', 'cache_control', 'citations']),
  image: new Set(['type', 'source', 'cache_control']),
  document: new Set(['type', 'source', 'title', 'context', 'citations', 'cache_control']),
  tool_use: new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']),
  thinking: new Set(['type', 'thinking', 'signature']),
  redacted_thinking: new Set(['type', 'data']),
  tool_reference: new Set(['type', 'tool_name', 'cache_control']),
};
/** The kinds of blocks, by who says them or where they stand. */
const KINDS = {
  user: ['document', 'image', 'text', 'tool_result'],
  assistant: ['redacted_thinking', 'text', 'thinking', 'tool_use'],
  system: ['text'],
  tool_result: ['document', 'image', 'text', 'tool_reference'],
};
const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const ID = /^[a-zA-Z0-9_-]+$/;

/** The blocks of a content; a text alone is one block. */
export function readBlocks(
  content: unknown,
  place: string,
  role: keyof typeof KINDS,
  options: ReadOptions,
): Block[] {
  if (typeof content === 'string') {
    if (content !== '' && content.trim() === '') throw blankText(role);
    return [{ type: 'text', text: content }];
  }
  if (!Array.isArray(content)) throw shouldBe(place, 'a valid list');
  const known = KINDS[role].filter((kind) => kind !== 'tool_reference' || options.betas.deferredTools);
  return content.map((given, index) => {
    const block = record(given);
    const at = `${place}.${index}`;
    if (block === null) throw shouldBe(at, 'a valid dictionary or object to extract fields from');
    if (block.type === undefined) throw required(`${at}.type`);
    if (typeof block.type !== 'string' || !known.includes(block.type)) {
      const tags = known.map((name) => `'${name}'`).join(', ');
      throw invalid(
        `${at}: Input tag '${block.type}' found using 'type' does not match any of the expected tags: ${tags}`,
      );
    }
    checkFields(block, FIELDS[block.type] as ReadonlySet<string>, `${at}.${block.type}`);
    checks[block.type]?.(block, at, options);
    return block as Block;
  });
}

type Check = (block: Json, at: string, options: ReadOptions) => void;

const checks: Readonly<Record<string, Check>> = {
  text(block, at) {
    checkString(block, 'text', `${at}.text`);
    if (block.text === '') throw invalid('messages: text content blocks must be non-empty');
    if (String(block.text).trim() === '') throw blankText(at.split('.')[0]);
  },
  image(block, at, { traits }) {
    if (!traits.seesImages) throw invalid(`${at}: This model does not support image inputs.`);
    const source = record(block.source);
    if (source === null) throw required(`${at}.image.source`);
    if (source.type === 'base64') {
      checkString(source, 'data', `${at}.image.source.base64`);
      if (!MEDIA_TYPES.includes(source.media_type as string)) {
        throw shouldBe(
          `${at}.image.source.base64.media_type`,
          "'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
        );
      }
    } else if (source.type === 'url') checkString(source, 'url', `${at}.image.source.url`);
    else {
      throw invalid(
        `${at}.image.source: Input tag '${source.type}' found using 'type' does not match any of the expected tags: 'base64', 'url'`,
      );
    }
  },
  document(block, at) {
    if (record(block.source) === null) throw required(`${at}.document.source`);
  },
  tool_use(block, at) {
    checkString(block, 'id', `${at}.tool_use`);
    checkString(block, 'name', `${at}.tool_use`);
    if (!ID.test(block.id as string)) {
      throw invalid(`${at}.tool_use.id: String should match pattern '${ID.source}'`);
    }
    if (block.input === undefined) throw required(`${at}.tool_use.input`);
    if (record(block.input) === null) throw shouldBe(`${at}.tool_use.input`, 'a valid dictionary');
  },
  tool_result(block, at, options) {
    checkString(block, 'tool_use_id', `${at}.tool_result`);
    if (block.is_error != null && typeof block.is_error !== 'boolean') {
      throw shouldBe(`${at}.tool_result.is_error`, 'a valid boolean');
    }
    if (block.content != null && block.content !== '') {
      readBlocks(block.content, `${at}.tool_result.content`, 'tool_result', options);
    }
  },
  tool_reference(block, at) {
    checkString(block, 'tool_name', `${at}.tool_reference`);
  },
  thinking(block, at) {
    checkString(block, 'thinking', `${at}.thinking`);
    checkString(block, 'signature', `${at}.thinking`);
    if (isSigned(block.thinking as string, block.signature as string)) return;
    throw invalid(`${at}: Invalid \`signature\` in \`thinking\` block`);
  },
  redacted_thinking(block, at) {
    checkString(block, 'data', `${at}.redacted_thinking`);
    if (isSealed(block.data as string)) return;
    throw invalid(`${at}: Invalid \`data\` in \`redacted_thinking\` block`);
  },
};

function blankText(place: string | undefined): Error {
  const of = place === 'system' ? 'system' : 'messages';
  return invalid(`${of}: text content blocks must contain non-whitespace text`);
}

export function checkString(given: Json, name: string, place: string): void {
  if (given[name] === undefined) throw required(`${place}.${name}`);
  if (typeof given[name] !== 'string') throw shouldBe(`${place}.${name}`, 'a valid string');
}

/** Checks the content blocks of a Converse request. */
import { isSealed, isSigned } from '../anthropic/thinking.ts';
import type { ModelTraits } from '../brain/models.ts';
import type { Tool } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { isCachePoint } from './cache-points.ts';
import type { Maker } from './makers.ts';
import { checkFields, invalid, modelSays, unmet } from './refusals.ts';

const IMAGE_FORMATS = ['png', 'jpeg', 'gif', 'webp'];
const DOCUMENT_FORMATS = ['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'];
const IMAGES_MAX = 20;
const IMAGE_BYTES_MAX = 3_750_000;
const DOCUMENTS_MAX = 5;
const ID = /^[a-zA-Z0-9_.:-]{1,64}$/;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const DOCUMENT_NAME = /^(?!.*\s\s)[A-Za-z0-9\s()[\]-]{1,200}$/;

/** The blocks, by who says them or where they stand. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'toolResult', 'cachePoint'],
  assistant: ['text', 'toolUse', 'reasoningContent', 'cachePoint'],
  result: ['text', 'json', 'image', 'document'],
};
const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  image: new Set(['format', 'source']),
  document: new Set(['format', 'name', 'source', 'context', 'citations']),
  toolUse: new Set(['toolUseId', 'name', 'input', 'type']),
  toolResult: new Set(['toolUseId', 'content', 'status', 'type']),
  reasoningContent: new Set(['reasoningText', 'redactedContent']),
};

export interface MessageRules {
  readonly traits: ModelTraits;
  readonly maker: Maker;
  readonly tools: readonly Tool[];
}

/** Counts what a request may have only so many of. */
export class BlockReader {
  readonly #rules: MessageRules;
  readonly #names = new Set<string>();
  #images = 0;

  constructor(rules: MessageRules) {
    this.#rules = rules;
  }

  check(block: Json | null, at: string, where: string): Json {
    const [kind, ...more] = Object.keys(block ?? {});
    if (block === null || kind === undefined || more.length > 0 || !KINDS[where]?.includes(kind)) {
      throw invalid(`The ContentBlock object at ${at} must set one of the following keys: ${KINDS[where]}.`);
    }
    if (kind === 'text') checkText(block.text, at);
    isCachePoint(block, this.#rules.maker);
    const fields = FIELDS[kind];
    if (fields === undefined) return block;
    const held = record(block[kind]) ?? {};
    checkFields(held, fields, `/${at}/${kind}`);
    if (kind === 'image') this.#image(held, at);
    else if (kind === 'document') this.#document(held, at);
    else if (kind === 'reasoningContent') this.#reasoning(held, at);
    else this.#tool(held, `${at}.${kind}`, kind);
    return block;
  }

  #image({ format, source }: Json, at: string): void {
    if (!this.#rules.traits.seesImages) {
      throw invalid("This model doesn't support the image content block that you provided.");
    }
    if (!IMAGE_FORMATS.includes(String(format))) {
      throw unmet(`${at}.image.format`, 'Member must satisfy enum value set: [gif, jpeg, png, webp]');
    }
    if (bytesOf(source, `${at}.image`) > IMAGE_BYTES_MAX) {
      throw modelSays('image exceeds 5 MB maximum');
    }
    if (++this.#images > IMAGES_MAX) throw invalid(`A request can have at most ${IMAGES_MAX} images.`);
  }

  #document({ format, name, source }: Json, at: string): void {
    if (!DOCUMENT_FORMATS.includes(String(format))) {
      throw unmet(
        `${at}.document.format`,
        `Member must satisfy enum value set: [${DOCUMENT_FORMATS.join(', ')}]`,
      );
    }
    if (typeof name !== 'string' || !DOCUMENT_NAME.test(name)) {
      throw invalid(
        'The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, ' +
          "and square brackets. The name can't contain more than one consecutive whitespace character.",
      );
    }
    bytesOf(source, `${at}.document`);
    if (this.#names.has(name)) {
      throw invalid(
        "Messages can't contain duplicate document names. Rename the document and retry your request.",
      );
    }
    this.#names.add(name);
    if (this.#names.size > DOCUMENTS_MAX) {
      throw invalid(`A request can have at most ${DOCUMENTS_MAX} documents.`);
    }
  }

  /** Thinking comes back as it was sent; only models that think take it. */
  #reasoning({ reasoningText, redactedContent }: Json, at: string): void {
    const { name } = this.#rules.maker;
    if (name !== 'anthropic' && (name !== 'openai' || redactedContent === undefined)) {
      throw invalid("This model doesn't support the reasoningContent content block that you provided.");
    }
    if (name === 'openai') return;
    const { text, signature } = record(reasoningText) ?? {};
    const own =
      redactedContent === undefined
        ? isSigned(String(text ?? ''), String(signature))
        : isSealed(String(redactedContent));
    if (!own) throw modelSays(`${at}: Invalid \`signature\` in \`thinking\` block`);
  }

  #tool(held: Json, at: string, kind: string): void {
    if (this.#rules.tools.length === 0) {
      throw invalid('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
    }
    const { toolUseId, name, input, content, status } = held;
    if (typeof toolUseId !== 'string' || !ID.test(toolUseId)) {
      throw unmet(`${at}.toolUseId`, 'Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+');
    }
    if (kind === 'toolResult') {
      this.#result(content, status, at);
      return;
    }
    if (typeof name !== 'string' || !NAME.test(name)) {
      throw unmet(`${at}.name`, 'Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+');
    }
    if (record(input) === null) {
      throw invalid(`The format of the value at ${at}.input is invalid. Provide a json object.`);
    }
  }

  #result(content: unknown, status: unknown, at: string): void {
    if (![undefined, 'success', 'error'].includes(status as string | undefined)) {
      throw unmet(`${at}.status`, 'Member must satisfy enum value set: [success, error]');
    }
    const blocks = Array.isArray(content) ? content.map(record) : [];
    if (blocks.length === 0) {
      throw invalid(
        `The content field in the ToolResultBlock object at ${at} is empty. Add content and try again.`,
      );
    }
    const { maker } = this.#rules;
    blocks.forEach((block, i) => {
      this.check(block, `${at}.content.${i}`, 'result');
      const isMedia = block?.image !== undefined || block?.document !== undefined;
      if (isMedia && !maker.caches) {
        throw invalid("This model doesn't support the image field in the content of a toolResult block.");
      }
      if (isMedia && status === 'error' && maker.name === 'anthropic') {
        throw modelSays(`${at}: all content must be type "text" if "is_error" is true`);
      }
    });
  }
}

function checkText(text: unknown, at: string): void {
  if (typeof text === 'string' && text.trim() !== '') return;
  throw invalid(
    `The text field in the ContentBlock object at ${at} is blank. Add text to the text field, and try again.`,
  );
}

function bytesOf(source: unknown, at: string): number {
  const { bytes } = record(source) ?? {};
  if (typeof bytes !== 'string' || bytes === '' || !/^[A-Za-z0-9+/]*={0,2}$/.test(bytes)) {
    throw invalid(`The value at ${at}.source.bytes is not valid base64.`);
  }
  return (bytes.length * 3) / 4;
}

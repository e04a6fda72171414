/**
 * The fields of each text format that name something stored at a provider, by their place in a request. They are rejected
 * on every route: all spaces share the account there, so a name could belong to another space
 * (docs/decisions/0075-nothing-of-a-provider-by-name.md). docs/formats.md lists them.
 */

export class StoredField {
  /** What it names: "a file". */
  readonly names: string;
  /** What to do: "leave it out". */
  readonly instead: string;

  constructor(names: string, instead: string) {
    this.names = names;
    this.instead = instead;
  }
}

/** The place of the value itself, if it is a text. */
export const ITSELF = Symbol('itself');
/** In tools that the provider runs: any field that ends in `_id` or `_ids`, at any depth. New kinds of tools appear often. */
export const ANY_ID = Symbol('any id');

/** By the name of a field. A list stands for each of its items. A function is for places that contain themselves. */
export interface Places {
  readonly [name: string]: StoredField | Places | (() => Places);
  readonly [ITSELF]?: StoredField;
  readonly [ANY_ID]?: StoredField;
}

const FILE = new StoredField(
  'a file',
  'upload the file with POST /v1/references and use the reference instead',
);
const RESPONSE = new StoredField('a response', 'leave it out');
const CACHED = new StoredField('cached content', 'send the content itself');
const CONTAINER = new StoredField('a container', 'leave it out, and the provider creates a new one');
/** The Anthropic library reads the error for this field. */
export const THREAD = new StoredField('a conversation', 'send the whole conversation without it');

const chat: Places = {
  messages: {
    audio: { id: new StoredField('an answer in audio', 'send its transcript as content') },
    content: { file: { file_id: FILE }, file_id: FILE },
  },
  audio: { voice: { id: new StoredField('a voice', 'use one of the voices that every account has') } },
  prompt_cache_options: { comparison_response_id: RESPONSE },
  // Of servers that speak the protocol: Azure, OpenRouter, Google, vLLM.
  data_sources: new StoredField('a data source', 'send what it should search in messages'),
  preset: new StoredField('a preset', 'send its settings'),
  cached_content: CACHED,
  extra_body: { google: { cached_content: CACHED } },
  kv_transfer_params: new StoredField('cached blocks', 'leave it out'),
};

const USE_SERVER = 'use server_url';

const tool: Places = {
  vector_store_ids: new StoredField('a vector store', 'send what it should search in input'),
  container: { [ITSELF]: CONTAINER, file_ids: FILE },
  environment: {
    container_id: CONTAINER,
    file_ids: FILE,
    skills: { skill_id: new StoredField('a skill', 'send it inline') },
  },
  connector_id: new StoredField('a connector', USE_SERVER),
  tunnel_id: new StoredField('a tunnel', USE_SERVER),
  input_image_mask: { file_id: FILE },
  memory_store_name: new StoredField('a memory', 'send what it should remember in input'),
  tools: () => tool,
  [ANY_ID]: new StoredField('something stored', 'leave it out'),
};

/** Items of earlier responses are found by `previous_response_id`, which the gateway resolves. */
const EARLIER_CONTAINER = new StoredField('a container', 'continue with previous_response_id instead');

const responses: Places = {
  conversation: new StoredField('a conversation', 'use previous_response_id, or send the whole conversation'),
  prompt: new StoredField('a prompt', 'send its text'),
  prompt_cache_options: { comparison_response_id: RESPONSE },
  input: {
    content: { file_id: FILE },
    output: { file_id: FILE },
    container_id: EARLIER_CONTAINER,
    environment: { container_id: EARLIER_CONTAINER },
    tools: tool,
  },
  tools: tool,
};

/** A block of content; results, documents and files that code created contain more. */
const block: Places = {
  file_id: FILE,
  source: { file_id: FILE, content: () => block },
  content: () => block,
};

const messages: Places = {
  thread: THREAD,
  container: CONTAINER,
  diagnostics: { previous_message_id: new StoredField('a message', 'leave it out') },
  messages: { content: block },
};

export const storedFields = { chat, responses, messages } as const;
export type StoredFormat = keyof typeof storedFields;

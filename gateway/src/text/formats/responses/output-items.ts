/** The items of an answer, as this format shows and keeps them. */
import type { ImageItem } from './image-item.ts';

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export type ContentPart =
  | { readonly type: 'output_text'; readonly annotations: []; readonly logprobs: []; text: string }
  | { readonly type: 'refusal'; refusal: string };

export interface MessageItem {
  readonly id: string;
  readonly type: 'message';
  status: ItemStatus;
  readonly role: 'assistant';
  readonly content: ContentPart[];
}

/** Without a status: providers that get it back do not know the field. */
export interface ReasoningItem {
  readonly id: string;
  readonly type: 'reasoning';
  readonly summary: Array<{ readonly type: 'summary_text'; text: string }>;
  encrypted_content?: string;
}

export interface FunctionCallItem {
  readonly id: string;
  readonly type: 'function_call';
  status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  /** Only where the function stands in one. */
  readonly namespace?: string;
  arguments: string;
}

export type OutputItem = MessageItem | ReasoningItem | FunctionCallItem | ImageItem;

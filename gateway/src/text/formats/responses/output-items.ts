/** The output items of an answer, as they are returned and stored. */
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

/** Without a status, because providers reject the field in input items. */
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
  /** Only for a function in a namespace. */
  readonly namespace?: string;
  arguments: string;
}

/** A call of a tool that takes a text. */
export interface CustomCallItem {
  readonly id: string;
  readonly type: 'custom_tool_call';
  status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  /** Only for a tool in a namespace. */
  readonly namespace?: string;
  input: string;
}

export type OutputItem = MessageItem | ReasoningItem | FunctionCallItem | CustomCallItem | ImageItem;

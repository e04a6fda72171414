/** Rejects what a model cannot do before the call is sent. Pure. */
import { Problem } from '../kernel/problem.ts';
import type { TextFeatures } from '../text/text-features.ts';
import type { Model } from './model.ts';

export function checkTextCall(
  model: Model,
  call: TextFeatures,
  limits: { readonly messagesMax: number },
): void {
  const { capabilities, code } = model;
  const { params } = call;
  if (call.messages > limits.messagesMax) {
    throw new Problem('invalid_parameter', {
      detail: `${params.messages} must not have more than ${limits.messagesMax} items.`,
      param: params.messages,
    });
  }
  if (call.streams && !capabilities.has('streaming')) {
    throw new Problem('streaming_not_supported', {
      detail: `${code} does not support streaming; remove "stream".`,
      param: 'stream',
    });
  }
  if (call.images > 0 && !capabilities.has('vision')) {
    throw new Problem('vision_not_supported', {
      detail: `${code} does not support images.`,
      param: params.messages,
    });
  }
  if (call.hasTools && !capabilities.has('tools')) {
    throw new Problem('tools_not_supported', { detail: `${code} does not support tools.`, param: 'tools' });
  }
  const { responseFormat } = call;
  const supported =
    responseFormat === 'text' ||
    capabilities.has(responseFormat === 'json_object' ? 'json_mode' : 'json_schema');
  if (!supported) {
    throw new Problem('response_format_not_supported', {
      detail: `${code} does not support the response format ${responseFormat}.`,
      param: params.responseFormat,
    });
  }
  const { outputTokensMax } = model;
  if (outputTokensMax !== null && (call.outputTokensMax ?? 0) > outputTokensMax) {
    throw new Problem('invalid_parameter', {
      detail: `${params.outputTokensMax} must be at most ${outputTokensMax} for ${code}.`,
      param: params.outputTokensMax,
    });
  }
}

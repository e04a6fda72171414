/** Amazon Bedrock's Converse API. */
import { Type } from 'typebox';
import { about } from '../../../yaml/about-key.ts';
import { ConfigError } from '../../../yaml/config-error.ts';
import type { DialectFacts } from '../dialect-facts.ts';
import { bedrockTraits } from './bedrock-traits.ts';

interface AwsKeys {
  readonly api_key?: string;
  readonly api_keys?: readonly string[];
  readonly aws_profile?: string;
}

interface AwsSettings {
  /** The profile of the AWS configuration to take credentials from. */
  readonly awsProfile?: string;
}

export const bedrockDialect = {
  system: 'aws.bedrock',
  spokenNames: ['Bedrock', 'Amazon', 'AWS'],
  priceFamily: 'bedrock',
  sourceNames: ['aws', 'bedrock_converse'],
  // The AWS credential chain is asked instead.
  keyless: true,
  traits: bedrockTraits,
  finishReasons: {
    end_turn: 'stop',
    stop_sequence: 'stop_sequence',
    tool_use: 'tool_calls',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    guardrail_intervened: 'content_filter',
    content_filtered: 'content_filter',
    // What the model wrote is shown as it is.
    malformed_model_output: 'stop',
    malformed_tool_use: 'stop',
  },
  own: {
    fields: {
      aws_profile: Type.Optional(
        Type.String({
          minLength: 1,
          ...about('For the dialect bedrock: the profile of ~/.aws/config to take credentials from.', {
            otherwise: 'AWS_PROFILE',
            example: 'models',
          }),
        }),
      ),
    },
    read: readAwsProfile,
  },
} as const satisfies DialectFacts;

function readAwsProfile({ api_key, api_keys, aws_profile }: AwsKeys, place: string): AwsSettings {
  if (aws_profile === undefined) return {};
  const key = api_keys === undefined ? 'api_key' : 'api_keys';
  if ((api_key ?? '') !== '' || api_keys !== undefined)
    throw ConfigError.at(`${place}.aws_profile`, `cannot be used together with ${key}`);
  return { awsProfile: aws_profile };
}

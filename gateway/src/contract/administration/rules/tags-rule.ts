/** The rule for default tags, of keys and members. */
import type { Setting } from './rule.ts';

export const tags = {
  path: 'tags',
  body: { name: 'DefaultTagsRequest', about: 'The default tags of calls.' },
  on: {
    key: {
      summary: 'Set the default tags of a key.',
      description:
        'Calls with the key have these tags, except those whose keys have a value in the header `x-tollgate-tags` or in `metadata` of the request. `null` removes them.',
      help: 'set the tags that calls with a key have by default',
      examples: ['team=search,feature=chat', 'none'],
    },
    member: {
      summary: 'Set the default tags of a member.',
      description:
        'Calls with the personal keys of the member have these tags, except those whose keys have a value in the request or in the default tags of the key. `null` removes them.',
      help: 'set the tags that calls of a member have by default',
      examples: ['team=search', 'none'],
    },
  },
  rules: {
    tags: {
      kind: 'tags',
      typed: 'tags as key=value,key=value',
      shown: {
        key: 'The tags that its calls have by default, as key=value.',
        member: 'The tags that their calls have by default, as key=value.',
      },
    },
  },
} as const satisfies Setting;

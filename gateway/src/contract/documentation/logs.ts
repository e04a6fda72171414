import { jsonLines } from './example-parts.ts';
import { ExampleGiven } from './example-values.ts';
import type { TagDocs } from './operation-docs.ts';

const line = (content: string, podName: string, timeStamp: string): object => ({
  content,
  podName,
  timeStamp,
  last: false,
});

export const logsDocs: TagDocs = {
  tag: 'Logs',
  description: 'Runtime and build logs of projects, for people with a session.',
  operations: {
    streamProjectLogs: {
      description:
        'One JSON object per line. `{"last": true}` ends the logs; a stream that ends without it was interrupted, so connect again. To lose no line, ask for `ids` and reconnect with the newest id of each source as `after`; more ids than fit into a URL go into the header `x-logs-after`, separated by spaces.',
      path: { id: 'The id of the project.' },
      examples: [
        {
          title: 'The newest lines',
          path: { id: 'demo' },
          query: { tailLines: 2 },
          answer: jsonLines([
            line('GET /checkout 200 38ms', 'shop-1-sqeb1', '2026-11-16T05:13:23.710000000Z'),
            line('GET /items/42 200 20ms', 'shop-1-pq95o', '2026-11-16T05:13:24.110000000Z'),
            { last: true },
          ]),
        },
      ],
      errors: {
        validation_error: {
          detail: 'tailLines must be a whole number from 0 to 100000',
          items: [
            {
              loc: ['query', 'tailLines'],
              msg: 'tailLines must be a whole number from 0 to 100000',
              type: 'int_parsing',
            },
          ],
          provoke: { query: { tailLines: 'many' } },
        },
      },
    },
    getBuildLog: {
      description:
        'Available once the build has ended. Lines are numbered; `numbers=false` omits the numbers.',
      path: { id: 'The id of the build.' },
      examples: [
        {
          title: 'A finished build',
          path: { id: new ExampleGiven('finished build', 'bld_01kdm5t1g5j9m3q7u1x5b9e3hk') },
          answer: '   1  ==> Cloning shop@main\n   2  HEAD is now at 3f2c1aa Show units in the cart\n',
        },
      ],
      errors: {
        validation_error: {
          detail: 'numbers must be true or false',
          items: [{ loc: ['query', 'numbers'], msg: 'numbers must be true or false', type: 'bool_parsing' }],
          provoke: { query: { numbers: 'maybe' } },
        },
      },
    },
  },
};

import { chatModelExample } from '../models.ts';
import type { TagDocs } from '../operation-docs.ts';
import { demo, LAST_PAGE } from './places.ts';

const simulator = { name: 'simulator', dialect: 'openai', simulated: true };

export const installationDocs: TagDocs = {
  tag: 'Installation',
  description: 'What the installation offers, how it is configured and how it is doing.',
  operations: {
    'models.list': {
      description: 'The prices are those that the space is charged. All models are in one page.',
      examples: [
        { title: 'One of the models', path: demo, answer: { data: [chatModelExample], ...LAST_PAGE } },
      ],
    },
    'installation.version': {
      description: 'The version of the process that answers.',
      examples: [{ title: 'A version', answer: { version: '0.1.0', node: 'v26.10.0', demo: true } }],
    },
    'installation.health': {
      description:
        'Routes and callers are those of the process that answers, background work is that of the whole installation.',
      examples: [
        {
          title: 'All routes closed',
          after: ['cancelJob', 'cancelBatch'],
          answer: {
            ready: true,
            in_flight: 1,
            providers: [{ ...simulator, open_routes: 0 }],
            routes: [
              {
                model: 'sim-chat',
                provider: 'simulator',
                upstream_model: 'sim-chat',
                priority: 1,
                weight: 1,
                state: 'closed',
              },
            ],
            callers_held_back: 0,
            jobs: [{ kind: 'batch', waiting: 1, overdue: 0, failing: 0 }],
            unsettled_batches: 1,
            quarantined_batches: 1,
            database: 'embedded',
            redis: null,
          },
        },
      ],
    },
    'installation.config': {
      description: 'As it was read from the configuration file and the environment. Secrets are never shown.',
      examples: [
        {
          title: 'The demo',
          partial: true,
          answer: {
            file: '/usr/lib/tollgate/demo/tollgate.yaml',
            demo: true,
            listens: '127.0.0.1:8080',
            public_url: null,
            data_folder: '/var/lib/tollgate',
            database: 'embedded',
            redis: null,
            bucket: null,
            log_level: 'info',
            price_version: 'demo-3',
            providers: [{ ...simulator, base_url: 'http://127.0.0.1:9100/v1' }],
            models: ['sim-chat', 'sim-embed'],
            unpriced_models: [],
            limits: { jsonBodyBytes: 33_554_432, streamsPerKey: 500, callTotalMs: 600_000 },
          },
        },
      ],
    },
  },
};

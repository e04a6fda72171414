import type { TagDocs } from './operation-docs.ts';

export const systemDocs: TagDocs = {
  tag: 'System',
  description: 'What this server is, probes for load balancers, and this document.',
  operations: {
    getWelcome: {
      description: 'Names the addresses of this installation. A browser is sent to the console instead.',
      examples: [
        {
          title: 'A program asks',
          answer: {
            name: 'tollgate',
            version: '0.1.0',
            about:
              'A model gateway: point an OpenAI or Anthropic client at it, with a key of this installation.',
            openai_base_url: 'http://localhost:8080/v1',
            anthropic_base_url: 'http://localhost:8080',
            console_url: 'http://localhost:8080/console/',
            docs_url: 'http://localhost:8080/docs',
            openapi_url: 'http://localhost:8080/openapi.json',
          },
        },
      ],
    },
    getHealth: {
      description: 'Answers as long as the process runs. Restart the process if it does not.',
      examples: [{ title: 'Alive', answer: { status: 'ok', version: '0.1.0' } }],
    },
    getReadiness: {
      description: 'Send traffic only to a process that is ready. A process that stops answers 503 first.',
      examples: [{ title: 'Ready', answer: { status: 'ready' } }],
    },
    getOpenapi: {
      description: 'Contains every endpoint, shape, error and example. `/docs` shows it as a page.',
      examples: [
        {
          title: 'The beginning',
          partial: true,
          answer: { openapi: '3.1.0', info: { title: 'Tollgate', version: '0.1.0' } },
        },
      ],
    },
  },
};

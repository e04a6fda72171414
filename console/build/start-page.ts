/** In development: the addresses that the gateway answers with the console lead to it too, with their query. */
import type { Plugin } from 'vite';

const STARTS = ['/', '/console'];

export function startPagePlugin(): Plugin {
  return {
    name: 'start-page',
    apply: 'serve',
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const [path = '', ...query] = (request.url ?? '').split('?');
        if (!STARTS.includes(path)) {
          next();
          return;
        }
        response.writeHead(302, { location: ['/console/', ...query].join('?') }).end();
      });
    },
  };
}

/** In development: the addresses that the gateway answers with the console lead to it too, with their query. So do the files that the gateway's pages of the API name. */
import type { Plugin } from 'vite';

const PLACES: Readonly<Record<string, string>> = {
  '/': '/console/',
  '/console': '/console/',
  '/console/docs-page.js': '/console/src/docs-page/docs-page.ts',
  '/console/icon.svg': '/console/src/style/icon.svg',
};

export function startPagePlugin(): Plugin {
  return {
    name: 'start-page',
    apply: 'serve',
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const [path = '', ...query] = (request.url ?? '').split('?');
        const place = PLACES[path];
        if (place === undefined) {
          next();
          return;
        }
        response.writeHead(302, { location: [place, ...query].join('?') }).end();
      });
    },
  };
}

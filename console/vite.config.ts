import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { adminRoutesPlugin } from './build/admin-routes.ts';
import { startPagePlugin } from './build/start-page.ts';

/** Where a gateway is running; `npm run dev` of the workspace sets it. */
const GATEWAY = process.env.TOLLGATE_GATEWAY ?? 'http://127.0.0.1:8080';
/** The host stays that of the page: the gateway accepts changes only from its own origin. */
const proxied = { target: GATEWAY, changeOrigin: false };

export default defineConfig({
  base: '/console/',
  plugins: [react(), adminRoutesPlugin(), startPagePlugin()],
  // Files stay files: the page's content security policy lets nothing run that stands in the page.
  build: {
    outDir: '../gateway/assets/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    rollupOptions: {
      input: { index: 'index.html', 'docs-page': 'src/docs-page/docs-page.ts' },
      // The gateway writes the pages of the API, which name these two files; all others have a digest in their names.
      output: {
        entryFileNames: ({ name }) => (name === 'docs-page' ? '[name].js' : 'assets/[name]-[hash].js'),
        assetFileNames: ({ names }) =>
          names.includes('icon.svg') ? '[name][extname]' : 'assets/[name]-[hash][extname]',
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/api', '/media', '/docs', '/openapi.json'].map((path) => [path, proxied]),
    ),
  },
});

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
  build: { outDir: '../gateway/assets/console', emptyOutDir: true, assetsInlineLimit: 0 },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/api', '/media', '/docs', '/openapi.json'].map((path) => [path, proxied]),
    ),
  },
});

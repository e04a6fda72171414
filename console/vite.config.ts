import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { adminRoutesPlugin } from './build/admin-routes.ts';

/** Where `npm run dev -w console` finds a running gateway. */
const GATEWAY = 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/console/',
  plugins: [react(), adminRoutesPlugin()],
  // Files stay files: the page's content security policy lets nothing run that stands in the page.
  build: { outDir: '../gateway/assets/console', emptyOutDir: true, assetsInlineLimit: 0 },
  server: { proxy: { '/v1': GATEWAY, '/api': GATEWAY, '/docs': GATEWAY, '/openapi.json': GATEWAY } },
});

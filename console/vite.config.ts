import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev -w console` finds a running gateway. */
const GATEWAY = 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  // Files stay files: the page's content security policy lets nothing run that stands in the page.
  build: { outDir: '../gateway/assets/console', emptyOutDir: true, assetsInlineLimit: 0 },
  server: { proxy: { '/v1': GATEWAY } },
});

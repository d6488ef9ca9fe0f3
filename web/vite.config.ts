import { defineConfig } from 'vite';

// Fixed names: the server embeds the files, and `gradus export` inlines them into one.
export default defineConfig({
  build: {
    target: 'es2022',
    modulePreload: false,
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      output: { entryFileNames: 'page.js', assetFileNames: 'page[extname]', inlineDynamicImports: true },
    },
  },
});

import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { chromiumArguments, findChromium } from './scripts/chromium.mjs'

const fromRoot = (path: string) => new URL(path, import.meta.url).pathname

export default defineConfig({
  worker: { format: 'es' },
  build: {
    outDir: 'dist-demo',
    target: 'es2023',
    sourcemap: true,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  resolve: {
    alias: [
      { find: /^handrail$/, replacement: fromRoot('./src/index.ts') },
      { find: /^handrail\/worker$/, replacement: fromRoot('./src/worker.ts') },
      { find: /^handrail\/testing$/, replacement: fromRoot('./src/testing/index.ts') },
      { find: /^handrail\/prompt-api$/, replacement: fromRoot('./src/models/prompt-api/model.ts') },
      { find: /^handrail\/agent-parts$/, replacement: fromRoot('./workers/agent-parts.ts') },
      { find: /^handrail\/((?:agent|sandbox)\.worker)(?=$|\?)/, replacement: fromRoot('./workers/$1.ts') },
    ],
  },
  optimizeDeps: {
    // Named here because only workers and lazy code import them: found late, they reload the page in mid-test.
    include: [
      '@anthropic-ai/sdk',
      '@google/genai/web',
      '@noble/hashes/sha2.js',
      '@noble/hashes/utils.js',
      '@preact/signals',
      '@jitl/quickjs-wasmfile-release-sync/emscripten-module',
      '@jitl/quickjs-wasmfile-release-sync/ffi',
      'acorn',
      'ajv',
      'ajv/dist/2020.js',
      'comlink',
      'idb',
      'minisearch',
      'openai',
      'preact',
      'preact/hooks',
      'preact/jsx-dev-runtime',
      'sucrase',
      'z-schema',
    ],
  },
  test: {
    // Vitest leaves one core to itself, which has little to do; and tests that wait for a browser leave theirs to another.
    maxWorkers: 3,
    api: { host: '127.0.0.1' },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          // A loaded machine is slow, and a timing decides no test.
          testTimeout: 30_000,
          hookTimeout: 60_000,
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**'],
          typecheck: { enabled: true, include: ['test/types/**/*.test-d.ts'], ignoreSourceErrors: true },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/provider-server.ts'],
          testTimeout: 30_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                executablePath: findChromium(),
                args: chromiumArguments,
              },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
})

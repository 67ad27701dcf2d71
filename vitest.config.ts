import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    reporters: ['default', './tests/support/reporter.ts'],
    globalSetup: 'tests/support/global-setup.ts',
    // A test waits for real Postgres, workerd and Chromium on a machine that may be busy: one minute is a hang.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Each file waits for Postgres and workerd more than it computes: two at a time on two cores.
    maxWorkers: 2,
    // A machine that is busy with both may be too slow for a test that watches a clock: such a one gets another chance.
    retry: 2,
  },
})

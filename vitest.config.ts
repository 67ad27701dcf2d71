import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, to be started first: one that comes last would hold up the run by itself. */
const LONG = [
  'purchases/stripe/histories',
  'purchases/stripe/faults',
  'payouts/histories',
  'payouts/faults',
  'pages/setup',
  'dev/start',
  'cli/reconcile',
  'dev/demo/shop',
  'tracking/races',
]

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return place < 0 ? LONG.length : place
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => placeOf(a) - placeOf(b))
  }
}

// Tests start some sixty Node processes: each reads the code that an earlier one has compiled.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node-compile'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    reporters: ['default', './tests/support/reporter.ts'],
    globalSetup: 'tests/support/global-setup.ts',
    setupFiles: 'tests/support/check-contract.ts',
    // A test waits for real Postgres, workerd and Chromium on a machine that may be busy: one minute is a hang.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Each file waits for Postgres and workerd more than it computes: three at a time keep two cores busy.
    maxWorkers: 3,
    // Files share the modules of their process, which spares importing them 140 times. So a file restores what it stubs.
    isolate: false,
    unstubGlobals: true,
    sequence: { sequencer: LongestFirst },
  },
})

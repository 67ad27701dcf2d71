import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files, which start first: a slow file at the end would leave a core idle. */
const LONG = [
  'dev/start',
  'dev/demo/shop',
  'payouts/exits',
  'tracking/faults',
  'payouts/month',
  'functions/stripe-webhook',
  'islands/import',
  'customers/late-reports',
  'cli/ledger-verify',
  'payouts/faults',
  'payouts/attacks',
  'pages/setup',
  'purchases/stripe/faults',
  'attacks/hostile-input',
  'payouts/histories',
  'imports/faults',
  'functions/mailer',
  'cli/reconcile',
  'purchases/stripe/possible-duplicates',
  'purchases/stripe/histories',
  'pages/portal',
  'imports/imports',
  'pages/stripe-checkout',
  'functions/auth-faults',
  'dev/runtime/postgres',
  'tracking/histories',
  'pages/partners',
  'tracking/requests',
  'attacks/3-failed-keys',
  'purchases/stripe/duplicates',
  'pages/payout-pages',
  'purchases/stripe/terms',
  'payouts/onboarding',
  'functions/import-page',
  'purchases/stripe/returns',
  'payouts/accounts',
  'customers/subscriptions',
  'customers/addresses',
  'dev/start-errors',
  'functions/manage-hostile',
  'customers/identities',
  'pages/payouts',
  'islands/exports',
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
    reporters: ['default', './tests/support/reporter.ts', './tests/support/costs.ts'],
    globalSetup: 'tests/support/global-setup.ts',
    setupFiles: 'tests/support/check-contract.ts',
    // Tests wait for Postgres, workerd and Chromium, possibly on a busy machine. One minute means a hang.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Files mostly wait for Postgres, workerd and timeouts: four at a time keep two cores busy.
    maxWorkers: 4,
    // Four processes on two cores have none to spare for concurrent garbage collection, nor for collecting often.
    execArgv: [
      '--single-threaded-gc',
      '--min-semi-space-size=32',
      '--max-semi-space-size=64',
      '--initial-heap-size=600',
    ],
    // Files share the modules of their process: importing them 140 times took 98 seconds. Each file restores what it stubs.
    isolate: false,
    // Node loads TypeScript itself, and keeps what it compiled: see tests/support/modules.ts.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    unstubGlobals: true,
    sequence: { sequencer: LongestFirst },
  },
})

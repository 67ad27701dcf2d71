import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { compileLanguages } from './dev/compile-languages.mjs'

/** The slowest files, which start first: a slow file at the end would leave a core idle. */
const LONG = [
  'dev/demo/shop',
  'dev/start',
  'tracking/faults',
  'attacks/hostile-input',
  'pages/setup',
  'islands/import',
  'purchases/stripe/faults',
  'functions/mailer',
  'payouts/crash',
  'imports/faults',
  'payouts/notices',
  'cli/ledger-verify',
  'functions/import-page',
  'payouts/accounts',
  'webhooks/delivery',
  'payouts/exits',
  'cli/reconcile',
  'pages/portal',
  'customers/reported-twice',
  'purchases/stripe/possible-duplicates',
  'customers/late-reports',
  'customers/subscriptions',
  'payouts/faults',
  'dev/runtime/postgres',
  'purchases/stripe/histories',
  'payouts/month',
  'payouts/histories',
  'purchases/stripe/returns',
  'pages/stripe-checkout',
  'customers/histories',
  'pages/payout-pages',
  'functions/stripe-webhook',
  'pages/docs',
  'functions/auth-faults',
  'payouts/attacks',
  'payouts/onboarding',
  'payouts/stripe/connect',
  'pages/partners',
  'purchases/stripe/duplicates',
  'functions/manage-access',
  'attacks/3-failed-keys',
  'functions/manage-faults',
  'tracking/requests',
  'islands/exports',
  'islands/size',
  'functions/manage-holds',
  'purchases/stripe/terms',
  'pages/payouts',
  'payouts/large',
  'customers/attacks',
  'customers/races',
  'payouts/limits',
  'pages/connect',
  'tracking/crash',
  'imports/imports',
  'functions/mcp',
  'customers/identities',
  'functions/auth-pages',
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

await compileLanguages()

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

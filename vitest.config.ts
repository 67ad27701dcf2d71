import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { compileLanguages } from './dev/compile-languages.mjs'
import { hasTestsOf, TAGS } from './tests/support/tiers.ts'

/** The slowest files, which start first: a slow file at the end would leave a core idle. */
const LONG = [
  'tracking/faults',
  'cli/deploy',
  'islands/import',
  'cli/doctor',
  'pages/every-page',
  'dev/demo/shop',
  'functions/manage-faults',
  'pages/import-source',
  'functions/mailer',
  'webhooks/delivery',
  'attacks/13-self-referral-cards',
  'purchases/stripe/payment-amounts',
  'tracking/crash',
  'purchases/stripe/untied-events',
  'attacks/4-passkeys',
  'functions/manage-holds',
  'payouts/accounts',
  'customers/terms',
  'attacks/5-changed-accounts',
  'payouts/limits',
  'customers/renewals',
  'attacks/15-expensive',
  'functions/manage-adjustments',
  'purchases/stripe/terms',
  'attacks/1-sign-up',
  'purchases/stripe/sales',
  'functions/payout-states',
  'customers/addresses',
  'functions/dashboard-doubtful',
  'payouts/cancel',
  'attacks/7-roles',
  'attacks/17-taken-customers',
  'attacks/15-late-claims',
  'functions/dashboard-partner-list',
  'payouts/races',
  'people/workspace-erasure',
  'functions/idempotency-keys',
  'imports/undo',
  'pages/setup',
  'imports/faults',
  'functions/auth-pages',
  'functions/manage-credits',
  'pages/brand',
  'functions/track-batch',
  'imports/undo-races',
  'purchases/stripe/faults',
  'pages/partners',
  'dev/start',
  'payouts/faults',
  'pages/docs',
  'payouts/exits',
  'attacks/hostile-input',
  'dev/runtime/postgres',
  'pages/portal',
  'functions/import-page',
  'pages/stripe-checkout',
  'cli/reconcile',
  'customers/late-reports',
  'dev/start-errors',
  'functions/auth-faults',
  'payouts/month',
  'functions/manage-access',
  'payouts/histories',
  'payouts/stripe/connect',
  'functions/dashboard-refund',
  'islands/exports',
  'pages/payout-pages',
  'payouts/onboarding',
  'purchases/stripe/histories',
  'attacks/9-erasure',
  'sites/sites',
  'customers/reported-twice',
  'tracking/races',
  'payouts/attacks',
  'payouts/large',
  'pages/mails',
  'payouts/crash',
  'purchases/stripe/possible-duplicates',
  'pages/payouts',
  'islands/size',
  'pages/messages',
  'customers/subscriptions',
  'purchases/stripe/duplicates',
  'functions/mcp',
  'imports/sources/run',
  'customers/races',
  'functions/manage-payouts',
  'functions/stripe-webhook',
  'customers/identities',
  'pages/links',
  'totals/totals',
  'dev/year',
  'tracking/what-if-histories',
  'dev/stop',
  'pages/applications',
  'imports/imports',
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

/**
 * What `npm test` and `npm run test:thorough` set. Without it, as in `npx vitest run
 * tests/payouts`, all tests run.
 */
const tier = process.env.TIER
const others =
  tier === 'quick' || tier === 'thorough'
    ? globSync('tests/**/*.test.ts').filter((file) => !hasTestsOf(tier, readFileSync(file, 'utf8')))
    : []

// Tests start some sixty Node processes: each reads the code that an earlier one has compiled.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node-compile'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: others,
    tags: TAGS,
    reporters: ['default', './tests/support/reporter.ts', './tests/support/costs.ts'],
    globalSetup: 'tests/support/global-setup.ts',
    setupFiles: 'tests/support/check-contract.ts',
    // Tests wait for Postgres, workerd and Chromium, possibly on a busy machine: only a hang takes
    // longer.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // Files mostly wait for Postgres, workerd and timeouts, so more at a time than there are cores
    // keep two cores busy. In the quick tier, the fourth would only cost CPU time.
    maxWorkers: process.env.TIER === 'thorough' ? 4 : 3,
    // Several processes on two cores have none to spare for concurrent garbage collection, nor for
    // collecting often.
    execArgv: [
      '--single-threaded-gc',
      '--min-semi-space-size=32',
      '--max-semi-space-size=64',
      '--initial-heap-size=600',
    ],
    // Files share the modules of their process: importing them 140 times took 98 seconds. Each file
    // restores what it stubs.
    isolate: false,
    // Node loads TypeScript itself, and keeps what it compiled: see tests/support/modules.ts.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    unstubGlobals: true,
    sequence: { sequencer: LongestFirst },
  },
})

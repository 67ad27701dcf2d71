/** A Worker that an attacker has taken over reaches only what its own binding offers. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Bundles } from '../../dev/runtime/bundles.ts'
import { runWorkers } from '../../dev/runtime/workerd.ts'
import { readWorkerConfigs } from '../../dev/runtime/wrangler-config.ts'

/** Every method that one Worker offers another. */
const METHODS = [
  ...[
    'getSession',
    'addSecret',
    'joinReport',
    'decideHolds',
    'creditEvent',
    'replanCustomers',
    'refreshAccount',
    'seal',
    'invoicePdf',
  ],
  ...[
    'startOnboarding',
    'openDashboard',
    'confirmAccount',
    'disconnect',
    'saveKey',
    'listSentEvents',
    'listProducts',
    'run',
    'bankFile',
  ],
  'templateFile',
  'preview',
  ...['nudge', 'urlRefusal', 'newSecret', 'unseal'],
]

/**
 * Stands in for a Worker, and answers which methods its bindings have. It calls them without
 * arguments.
 */
const TAKEN_OVER = `export default {
  async fetch(request, env) {
    const found = {}
    for (const [name, binding] of Object.entries(env)) {
      if (typeof binding !== 'object' || name === 'LIMITS') continue
      found[name] = []
      for (const method of ${JSON.stringify(METHODS)}) {
        const isMissing = await binding[method]().then(() => false, (error) => /does not implement/.test(error.message))
        if (!isMissing) found[name].push(method)
      }
    }
    return Response.json(found)
  },
}`

const OFFERED = ['auth', 'import-source', 'mailer', 'payouts', 'stripe-webhook', 'webhooks']
const REACHED: Record<string, Record<string, string[]>> = {
  'track-click': { OUTBOX: ['nudge'] },
  'track-lead': {
    STRIPE_WEBHOOK: ['joinReport', 'decideHolds'],
    WEBHOOKS: ['nudge'],
    OUTBOX: ['nudge'],
  },
  'track-sale': {
    STRIPE_WEBHOOK: ['joinReport', 'decideHolds'],
    WEBHOOKS: ['nudge'],
    OUTBOX: ['nudge'],
  },
  'track-refund': {
    STRIPE_WEBHOOK: ['joinReport', 'decideHolds'],
    WEBHOOKS: ['nudge'],
    OUTBOX: ['nudge'],
  },
  'track-batch': {
    STRIPE_WEBHOOK: ['joinReport', 'decideHolds'],
    WEBHOOKS: ['nudge'],
    OUTBOX: ['nudge'],
  },
  'import-partners': { AUTH: ['getSession'], WEBHOOKS: ['nudge'], OUTBOX: ['nudge'] },
  'import-customers': {
    AUTH: ['getSession'],
    STRIPE_WEBHOOK: ['replanCustomers'],
    WEBHOOKS: ['nudge'],
  },
  portal: {
    AUTH: ['getSession'],
    PAYOUTS: [
      'refreshAccount',
      'seal',
      'invoicePdf',
      'startOnboarding',
      'openDashboard',
      'confirmAccount',
      'disconnect',
    ],
    OUTBOX: ['nudge'],
    WEBHOOKS: ['nudge'],
  },
  mcp: { PAYOUTS: ['preview'] },
  // A nudge does what is due, as the cron does.
  router: { AUTH: [], PAYOUTS: ['nudge'], STRIPE_WEBHOOK: [], IMPORT_SOURCE: ['nudge'] },
}
for (const name of ['manage', 'dashboard']) {
  REACHED[name] = {
    AUTH: ['getSession'],
    PAYOUTS: [
      'seal',
      'invoicePdf',
      'saveKey',
      'listSentEvents',
      'listProducts',
      'run',
      'bankFile',
      'templateFile',
    ],
    STRIPE_WEBHOOK: ['addSecret'],
    WEBHOOKS: ['seal', 'nudge', 'urlRefusal', 'newSecret', 'unseal'],
    CREDITS: ['creditEvent'],
    OUTBOX: ['nudge'],
    PAYOUT_QUEUE: ['nudge'],
  }
}

let running: Awaited<ReturnType<typeof runWorkers>>
beforeAll(async () => {
  const bundles: Bundles = JSON.parse(await readFile(inject('bundles'), 'utf8'))
  const workers = [...readWorkerConfigs()].flatMap(([env, config]) => {
    const isReal = OFFERED.includes(env)
    if (!isReal && !REACHED[env]) return []
    const services = config.services.filter(({ service }) =>
      OFFERED.includes(service.replace('tributary-', '')),
    )
    return {
      name: `tributary-${env}`,
      script: (isReal ? bundles[env] : TAKEN_OVER) ?? '',
      compatibilityDate: config.compatibility_date,
      compatibilityFlags: config.compatibility_flags,
      services: Object.fromEntries(
        services.map(({ binding, service: name, entrypoint }) => [
          binding,
          entrypoint ? { name, entrypoint } : name,
        ]),
      ),
    }
  })
  running = await runWorkers(workers, () => {})
})
afterAll(() => running?.stop())

test.each(Object.entries(REACHED))('the Worker %s reaches only %j', async (env, expected) => {
  const response = await fetch(await running.urlOf(`tributary-${env}`))
  expect(await response.json()).toEqual(expected)
})

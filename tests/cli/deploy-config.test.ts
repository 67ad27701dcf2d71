import { expect, test } from 'vitest'
import { configOf, regionOf, withoutSelf } from '../../cli/deploy-config.ts'
import { deploymentOrder } from '../../cli/deployments.ts'
import { cronWorkers, readWorkerConfigs } from '../../dev/runtime/wrangler-config.ts'

const SETTINGS = {
  DATABASE_URL: 'postgresql://o:p@ep-x-pooler.c-2.eu-central-1.aws.neon.tech/neondb',
  PUBLIC_URL: 'https://track.acme.com',
  MAIL_FROM: 'Acme <partners@acme.com>',
}

test('a setting replaces the variable of that name, of every Worker that has it', () => {
  const given = { ...SETTINGS, MAX_FETCHES: '9000', MAIL_RETENTION_DAYS: '' }
  expect(configOf('payouts', given)).toMatchObject({
    vars: { PUBLIC_URL: 'https://track.acme.com', MAX_FETCHES: '9000' },
  })
  expect(configOf('webhooks', given)).toMatchObject({
    vars: {
      PUBLIC_URL: 'https://track.acme.com',
      MAX_FETCHES: '9000',
      ALLOW_LOCAL_WEBHOOKS: 'false',
    },
  })
  expect(configOf('mailer', given)).toMatchObject({
    vars: { MAIL_FROM: 'Acme <partners@acme.com>', MAIL_RETENTION_DAYS: '90' },
  })
  expect(configOf('mailer', given)).toMatchObject({ vars: { MAX_FETCHES: '9000' } })
})

test.each([
  { minutes: '', cron: '*/30 * * * *' },
  { minutes: '1', cron: '*/1 * * * *' },
  { minutes: '60', cron: '0 * * * *' },
])('all crons run every CRON_MINUTES, "$minutes"', ({ minutes, cron }) => {
  const crons = deploymentOrder().flatMap(({ env }) => {
    const { triggers } = configOf(env, { ...SETTINGS, CRON_MINUTES: minutes }) as {
      triggers: { crons: string[] }
    }
    return triggers.crons
  })
  expect(crons).toEqual(cronWorkers().map(() => cron))
  expect(configOf('payouts', { ...SETTINGS, CRON_MINUTES: minutes })).toMatchObject({
    vars: { CRON_MINUTES: minutes || '30' },
  })
})

test.each<{ case: string; set: Record<string, string>; routes: object[]; workersDev: boolean }>([
  {
    case: 'the host of PUBLIC_URL',
    set: {},
    routes: [{ pattern: 'track.acme.com', custom_domain: true }],
    workersDev: false,
  },
  {
    case: 'workers.dev',
    set: { PUBLIC_URL: 'https://tributary-router.acme.workers.dev' },
    routes: [],
    workersDev: true,
  },
  {
    case: 'the hosts and patterns of ROUTES',
    set: { ROUTES: 'track.acme.com/*, t.acme.io' },
    routes: [{ pattern: 'track.acme.com/*' }, { pattern: 't.acme.io', custom_domain: true }],
    workersDev: false,
  },
])('the router is served at $case', ({ set, routes, workersDev }) => {
  expect(configOf('router', { ...SETTINGS, ...set })).toMatchObject({
    routes,
    workers_dev: workersDev,
  })
})

test('every Worker that queries the database runs near it, and the router near the visitor', () => {
  for (const { env, secrets } of deploymentOrder()) {
    const placement = secrets.includes('DATABASE_URL') ? { region: 'aws:eu-central-1' } : undefined
    expect({ env, placement: Reflect.get(configOf(env, SETTINGS), 'placement') }).toEqual({
      env,
      placement,
    })
  }
})

test('the region is that of Neon’s host, and another server has none', () => {
  expect(regionOf('ep-x-pooler.us-east-2.aws.neon.tech')).toBe('us-east-2')
  expect(regionOf('db.us-east-2.aws.neon.tech.acme.com')).toBeUndefined()
})

test('the mailer has Cloudflare’s binding if it is chosen', () => {
  const bound = configOf('mailer', { ...SETTINGS, CLOUDFLARE_EMAIL: 'true' })
  expect(bound).toMatchObject({ send_email: [{ name: 'EMAIL' }] })
  expect(configOf('mailer', SETTINGS)).not.toHaveProperty('send_email')
})

test('all else is as wrangler.toml says', () => {
  for (const [env, { main, services, ratelimits, triggers }] of readWorkerConfigs()) {
    const name = `tributary-${env}`
    expect(configOf(env, SETTINGS)).toMatchObject({ name, main, services, triggers, minify: true })
    const limits = ratelimits.map(({ name, simple }) => ({ name, simple }))
    expect(configOf(env, SETTINGS).ratelimits).toMatchObject(limits)
  }
})

/** The namespaces of all rate limits of an installation. */
const namespacesOf = (INSTALLATION: string): string[] =>
  deploymentOrder().flatMap(({ env }) =>
    configOf(env, { ...SETTINGS, INSTALLATION }).ratelimits.map(({ namespace_id }) => namespace_id),
  )

test('no two rate limits count together, not even those of two installations in one account', () => {
  const all = ['', 'tributary-staging', 'acme'].flatMap(namespacesOf)
  expect(all.length).toBeGreaterThan(60)
  expect(new Set(all).size).toBe(all.length)
  for (const id of all) {
    expect(id).toMatch(/^[1-9]\d*$/)
    expect(Number(id)).toBeLessThan(2 ** 31)
  }
  expect(namespacesOf('tributary')).toEqual(namespacesOf(''))
})

test('an installation of another name has Workers of its own, which bind each other', () => {
  const names = deploymentOrder().map(({ env }) => `acme-${env}`)
  for (const { env } of deploymentOrder()) {
    const { name, services } = configOf(env, { ...SETTINGS, INSTALLATION: 'acme' })
    expect(name).toBe(`acme-${env}`)
    expect(names).toEqual(expect.arrayContaining(services.map(({ service }) => service)))
  }
})

test('only the bindings of a Worker to itself are left out', () => {
  const bound = withoutSelf(configOf('webhooks', SETTINGS)).services.map(({ binding }) => binding)
  expect(bound).toEqual(['OUTBOX'])
})

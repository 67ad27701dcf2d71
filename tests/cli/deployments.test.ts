import { expect, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { deploymentOrder, missingSecrets, secretsOf } from '../../cli/deployments.ts'
import { ROOT } from '../../dev/root.ts'

test('every Worker is deployed after the Workers that it binds, the router last', () => {
  const deployed = new Set<string>()
  for (const { env } of deploymentOrder()) {
    const { services = [] } = unstable_readConfig({ config: `${ROOT}wrangler.toml`, env })
    // A Worker may bind itself from its first upload on.
    deployed.add(`tributary-${env}`)
    const missing = services.filter(({ service }: { service: string }) => !deployed.has(service))
    expect({ env, missing }).toEqual({ env, missing: [] })
  }
  expect([...deployed].at(-1)).toBe('tributary-router')
})

test('each Worker gets only its required secrets, and the router none', () => {
  const held = Map.groupBy(deploymentOrder(), ({ secrets }) => secrets.join(', '))
  const workers = [...held].map(([secrets, group]) => [secrets, group.map(({ env }) => env).sort()])
  expect(Object.fromEntries(workers)).toEqual({
    '': ['router'],
    'DATABASE_URL, AUTH_SECRET': ['auth'],
    'DATABASE_URL, SECRETS_KEY': ['import-source', 'payouts', 'stripe-webhook', 'webhooks'],
    DATABASE_URL: [
      'dashboard',
      'import-customers',
      'import-partners',
      'mailer',
      'manage',
      'mcp',
      'portal',
      'resend-webhook',
      'track-batch',
      'track-click',
      'track-lead',
      'track-refund',
      'track-sale',
    ],
  })
})

test('the API keys for mail go to the mailer only, and the secrets of its reports to the Worker that receives them, if they are set', () => {
  const takers = deploymentOrder().filter(({ optional }) => optional.length > 0)
  expect(Object.fromEntries(takers.map(({ env, optional }) => [env, optional]))).toEqual({
    mailer: ['RESEND_API_KEY', 'RESEND_BULK_API_KEY'],
    'resend-webhook': ['RESEND_WEBHOOK_SECRET', 'RESEND_BULK_WEBHOOK_SECRET'],
  })
})

test.each(['ALLOW_SIGNUP', 'OWNER_EMAIL'])('%s is the same for the API and the pages', (name) => {
  const said = ['manage', 'dashboard'].map(
    (env) => unstable_readConfig({ config: `${ROOT}wrangler.toml`, env }).vars?.[name],
  )
  expect(new Set(said).size).toBe(1)
})

test('a missing secret is listed once, and an empty value counts as missing', () => {
  const all = { DATABASE_URL: 'postgres://x', AUTH_SECRET: 'x', SECRETS_KEY: 'x' }
  expect(missingSecrets(deploymentOrder(), {})).toEqual([
    'DATABASE_URL',
    'SECRETS_KEY',
    'AUTH_SECRET',
  ])
  expect(missingSecrets(deploymentOrder(), { ...all, AUTH_SECRET: '' })).toEqual(['AUTH_SECRET'])
  expect(missingSecrets(deploymentOrder(), all)).toEqual([])
})

test('no Worker is given the owner’s DATABASE_URL, but the role of its zone on the same server and database', () => {
  const owner =
    'postgresql://neondb_owner:npg_Abc123Def456@ep-x-pooler.eu.aws.neon.tech/neondb?sslmode=require'
  const given = { DATABASE_URL: owner, AUTH_SECRET: 'a', SECRETS_KEY: 's' }
  const urls = deploymentOrder().map((deployment) => [
    deployment.env,
    secretsOf(deployment, given).DATABASE_URL,
  ])
  const connected = urls.flatMap(([env, value]) =>
    env && value ? [{ env, url: new URL(value) }] : [],
  )
  expect(Object.fromEntries(connected.map(({ env, url }) => [env, url.username]))).toMatchObject({
    'track-click': 'neondb_track',
    manage: 'neondb_pages',
    mcp: 'neondb_read',
    payouts: 'neondb_pay',
    'stripe-webhook': 'neondb_pay',
    auth: 'neondb_auth',
    mailer: 'neondb_mail',
  })
  for (const { url } of connected) {
    expect(url.href).not.toContain('npg_Abc123Def456')
    expect(url.host + url.pathname + url.search).toBe(
      'ep-x-pooler.eu.aws.neon.tech/neondb?sslmode=require',
    )
  }
  expect(
    secretsOf({ env: 'auth', secrets: ['AUTH_SECRET'], optional: ['RESEND_API_KEY'] }, given),
  ).toEqual({
    AUTH_SECRET: 'a',
  })
})

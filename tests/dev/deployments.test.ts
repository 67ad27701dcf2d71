import { expect, test } from 'vitest'
import { deploymentOrder, missingSecrets } from '../../dev/deployments.ts'

test('every endpoint is deployed before the router, whose bindings name them', () => {
  const order = deploymentOrder().map(({ env }) => env)
  expect(order.at(-1)).toBe('router')
  expect(order.slice(0, -1).sort()).toEqual(['manage', 'track-click', 'track-lead', 'track-sale'])
})

test('each Worker is given the secrets that it requires, and the public one none', () => {
  const secrets = Object.fromEntries(deploymentOrder().map(({ env, secrets }) => [env, secrets]))
  expect(secrets).toEqual({
    router: [],
    manage: ['DATABASE_URL'],
    'track-click': ['DATABASE_URL'],
    'track-lead': ['DATABASE_URL'],
    'track-sale': ['DATABASE_URL'],
  })
})

test('what a secrets file lacks is named once, and an empty value is as good as none', () => {
  expect(missingSecrets(deploymentOrder(), {})).toEqual(['DATABASE_URL'])
  expect(missingSecrets(deploymentOrder(), { DATABASE_URL: '' })).toEqual(['DATABASE_URL'])
  expect(missingSecrets(deploymentOrder(), { DATABASE_URL: 'postgres://x' })).toEqual([])
})

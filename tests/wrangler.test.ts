import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { ROOT } from '../dev/root.ts'
import { readWorkerConfigs, workerNames } from '../dev/runtime/wrangler-config.ts'

const config = `${ROOT}wrangler.toml`

/** Workers that nobody calls by HTTP: the clock runs them, and other Workers call them by RPC. */
const WITHOUT_ADDRESS = ['mailer', 'webhooks']

describe.each(workerNames())('the Worker %s', (env) => {
  const worker = unstable_readConfig({ config, env })

  test('has one name everywhere: file, env, Worker, and test', () => {
    expect(worker.name).toBe(`tributary-${env}`)
    expect(worker.main?.replace(ROOT, '')).toMatch(new RegExp(`^functions/(track/)?${env}\\.tsx?$`))
    expect(existsSync(`${ROOT}tests/functions/${env}.test.ts`)).toBe(true)
  })

  test('has the configuration here that wrangler reads', () => {
    const ours = readWorkerConfigs().get(env)
    const { main, compatibility_date, compatibility_flags, vars, services, ratelimits, assets } =
      worker
    expect(ours).toMatchObject({
      main,
      compatibility_date,
      compatibility_flags,
      vars,
      services,
      ratelimits,
    })
    expect(ours?.assets).toEqual(assets)
    expect(ours?.secrets.required).toEqual(worker.secrets?.required ?? [])
    expect(ours?.triggers.crons).toEqual(worker.triggers.crons ?? [])
  })

  test('is public only if it is the router, which binds each Worker that has an address under its own name', () => {
    expect(worker.workers_dev).toBe(env === 'router')
    if (env === 'router') return
    const { services } = unstable_readConfig({ config, env: 'router' })
    const binding = { binding: env.toUpperCase().replaceAll('-', '_'), service: `tributary-${env}` }
    if (WITHOUT_ADDRESS.includes(env)) expect(services).not.toContainEqual(binding)
    else expect(services).toContainEqual(binding)
  })
})

test('crons run at the same times, as often as CRON_MINUTES says', () => {
  const configs = workerNames().map((env) => unstable_readConfig({ config, env }))
  const crons = configs.flatMap(({ triggers }) => triggers.crons ?? [])
  const minutes = configs.flatMap(({ vars }) =>
    typeof vars.CRON_MINUTES === 'string' ? [vars.CRON_MINUTES] : [],
  )
  expect({ crons: new Set(crons), minutes: new Set(minutes) }).toEqual({
    crons: new Set(['*/30 * * * *']),
    minutes: new Set(['30']),
  })
})

test('only shared keys stand at the top of wrangler.toml: assets, routes and triggers would leak into every Worker', () => {
  const [top = ''] = readFileSync(config, 'utf8').split(/^\[env\./m)
  expect(top).not.toMatch(/^(assets|routes?|triggers|services|vars|secrets|\[)/m)
})

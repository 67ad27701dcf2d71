/** `npm run deploy`, with the real wrangler and a stand-in for Cloudflare's API. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, test, vi } from 'vitest'
import { deploymentOrder } from '../../cli/deployments.ts'
import { roleOf, ZONES } from '../../cli/roles.ts'
import { deleteEmpty } from '../../cli/upload.ts'
import { ROOT } from '../../dev/root.ts'
import { startCloudflare } from '../support/cloudflare.ts'
import { withDatabase } from '../support/databases.ts'

type Cloudflare = Awaited<ReturnType<typeof startCloudflare>>

const SECRETS = { AUTH_SECRET: 'a'.repeat(32), SECRETS_KEY: 's'.repeat(32) }

/** Runs the command with these settings. */
const deploy = async (cloudflare: Cloudflare, settings: Record<string, string>) => {
  const folder = join(inject('folder'), 'deploy')
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'prod.vars')
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`)
  await writeFile(file, lines.join(''))
  return new Promise<{ code: number; output: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ['cli/deploy.ts', '--secrets-file', file],
      // Without node_modules/.bin in the path, where Windows would find no program either.
      { cwd: ROOT, env: { ...process.env, PATH: '/nowhere', ...cloudflare.env } },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}

type Binding = { name: string; type: string; text: string }

/** The bindings of one type that each Worker was uploaded with. */
const uploaded = ({ calls }: Cloudflare, type: string) =>
  Object.fromEntries(
    calls.flatMap(({ call, sent }) => {
      const [, worker] = /^PUT scripts\/tributary-([^/]+)$/.exec(call) ?? []
      if (!worker) return []
      const bindings = (sent as { bindings: Binding[] }).bindings.filter((binding) => binding.type === type)
      return [[worker, Object.fromEntries(bindings.map(({ name, text }) => [name, text]))]]
    }),
  )

test('a deployment creates the roles, and gives each Worker that of its zone', {
  timeout: 180_000,
}, async () => {
  const cloudflare = await startCloudflare()
  await withDatabase('deployed', async (url) => {
    const { code, output } = await deploy(cloudflare, { DATABASE_URL: url, ...SECRETS })
    expect(output).toContain('Deployed.')
    expect(code).toBe(0)

    const given = uploaded(cloudflare, 'secret_text')
    expect(JSON.stringify(cloudflare.calls)).not.toContain(new URL(url).password)
    expect(Object.keys(given).at(-1)).toBe('router')
    expect(given.router).toEqual({})
    expect(given.payouts).toEqual({ DATABASE_URL: expect.any(String), SECRETS_KEY: SECRETS.SECRETS_KEY })
    for (const [zone, workers] of Object.entries(ZONES)) {
      for (const worker of workers) {
        const client = new pg.Client({ connectionString: given[worker]?.DATABASE_URL })
        await client.connect()
        const { rows } = await client.query('select current_user as role')
        await client.end()
        expect({ worker, rows }).toEqual({
          worker,
          rows: [{ role: roleOf(url, zone as keyof typeof ZONES) }],
        })
      }
    }
  })
  cloudflare.stop()
})

test('an account without a workers.dev subdomain is told where to choose one', async () => {
  const cloudflare = await startCloudflare({ withSubdomain: false })
  await withDatabase('deployed_first', async (url) => {
    const { code, output } = await deploy(cloudflare, { DATABASE_URL: url, ...SECRETS })
    expect(output).toContain('Open https://dash.cloudflare.com/?to=/:account/workers/onboarding')
    expect(code).toBe(1)
  })
  cloudflare.stop()
})

test.each([
  { case: 'that is empty now is deleted', held: ['DATABASE_URL', 'RESEND_API_KEY'], given: '', deleted: 1 },
  { case: 'that was never there is not', held: ['DATABASE_URL'], given: '', deleted: 0 },
  { case: 'that is still given is not', held: ['DATABASE_URL', 'RESEND_API_KEY'], given: 're_1', deleted: 0 },
])('an optional secret $case', async ({ held, given, deleted }) => {
  const cloudflare = await startCloudflare({ secrets: held })
  for (const [name, value] of Object.entries(cloudflare.env)) vi.stubEnv(name, value)
  const mailer = deploymentOrder().filter(({ env }) => env === 'mailer')
  for (const deployment of mailer) await deleteEmpty(deployment, { RESEND_API_KEY: given })
  vi.unstubAllEnvs()
  cloudflare.stop()
  const sent = { secrets: { RESEND_API_KEY: null } }
  const call = 'PATCH scripts/tributary-mailer/secrets-bulk'
  expect(cloudflare.calls).toEqual(deleted ? [{ call, sent }] : [])
})

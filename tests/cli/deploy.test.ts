// @module-tag thorough
/** `npm run deploy`, with the real wrangler and a stand-in for Cloudflare's API. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { deploymentOrder } from '../../cli/deployments.ts'
import { roleOf, ZONES } from '../../cli/roles.ts'
import { deleteEmpty, upload } from '../../cli/upload.ts'
import { ROOT } from '../../dev/root.ts'
import { workerNames } from '../../dev/runtime/wrangler-config.ts'
import { FORMER_VERSION_ID, startCloudflare } from '../support/cloudflare.ts'
import { withDatabase } from '../support/databases.ts'
import { newestLink, somebody } from '../support/people.ts'
import { startWranglerHost } from '../support/wrangler-host.ts'

type Cloudflare = Awaited<ReturnType<typeof startCloudflare>>

/**
 * One process runs what wrangler does in most tests. Each of its commands has a process of its own
 * in one of the others.
 */
let host: Awaited<ReturnType<typeof startWranglerHost>>
beforeAll(async () => {
  host = await startWranglerHost()
})
afterAll(() => host?.stop())

/** The stand-in, until the test ends. */
const openCloudflare = async (
  options?: Parameters<typeof startCloudflare>[0],
): Promise<Cloudflare> => {
  const cloudflare = await startCloudflare(options)
  onTestFinished(cloudflare.stop)
  return cloudflare
}

const SETTINGS = {
  AUTH_SECRET: 'a'.repeat(32),
  SECRETS_KEY: 's'.repeat(32),
  RESEND_API_KEY: 're_1',
  MAIL_FROM: 'Acme <partners@acme.com>',
  PUBLIC_URL: 'https://track.acme.com',
  OWNER_EMAIL: 'ada@acme.com',
}

/** @returns the file */
const writeSettings = async (settings: Record<string, string>): Promise<string> => {
  const folder = join(inject('folder'), 'deploy')
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'prod.vars')
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`)
  await writeFile(file, lines.join(''))
  return file
}

/** Runs the command with these settings. @param hosted the environment of a host, or of none */
const deploy = async (
  cloudflare: Pick<Cloudflare, 'env'>,
  settings: Record<string, string>,
  args: string[] = [],
  hosted: Partial<typeof host.env> = host.env,
) => {
  const file = await writeSettings(settings)
  return new Promise<{ code: number; output: string }>((resolve) => {
    // The public address leads to the Workers of the tests.
    const toTests = `const { fetch } = globalThis
      globalThis.fetch = (url, init) => fetch(String(url).replace('${SETTINGS.PUBLIC_URL}', '${inject('baseUrl')}'), init)`
    const options = [
      `--import=data:text/javascript,${encodeURIComponent(toTests)}`,
      hosted.NODE_OPTIONS ?? '',
    ]
    const NODE_OPTIONS = options.join(' ')
    const child = execFile(
      process.execPath,
      ['cli/deploy.ts', '--secrets-file', file, ...args],
      // Without node_modules/.bin in the path, where Windows would find no program either.
      {
        cwd: ROOT,
        env: { ...process.env, PATH: '/nowhere', ...hosted, NODE_OPTIONS, ...cloudflare.env },
      },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}

const DELETION = 'PATCH scripts/tributary-mailer/secrets-bulk'

type Binding = { name: string; type: string; text: string }

/** The bindings of one type that each Worker was uploaded with. */
const uploaded = ({ calls }: Cloudflare, type: string) =>
  Object.fromEntries(
    calls.flatMap(({ call, sent }) => {
      // A Worker that exists is uploaded as a version.
      const [, worker] =
        /^(?:PUT|POST) scripts\/tributary-([^/]+)(?:(?<=^PUT.*)|\/versions)$/.exec(call) ?? []
      if (!worker) return []
      const bindings = (sent as { bindings: Binding[] }).bindings.filter(
        (binding) => binding.type === type,
      )
      return [[worker, Object.fromEntries(bindings.map(({ name, text }) => [name, text]))]]
    }),
  )

test('a deployment that has failed is completed by the next one: each Worker has the role of its zone', {
  timeout: 300_000,
}, async () => {
  const cloudflare = await openCloudflare({
    secrets: ['DATABASE_URL', 'RESEND_API_KEY'],
    failing: ['PUT scripts/tributary-webhooks'],
  })
  const operator = somebody()
  await withDatabase('deployed', async (url) => {
    const settings = {
      DATABASE_URL: url,
      ...SETTINGS,
      RESEND_API_KEY: '',
      CLOUDFLARE_EMAIL: 'true',
    }
    const failed = await deploy(cloudflare, settings, [], {})
    const says = expect.stringContaining(
      'Deploying webhooks failed. The Workers before it are deployed.',
    )
    expect(failed).toEqual({ code: 1, output: says })
    const { code, output } = await deploy(cloudflare, settings, ['--mail-to', operator])
    expect(output).toMatch(
      // A busy machine may call the round trip far.
      /takes \d+ ms\..*\nA sign-in link was mailed to .+\.\nDeployed\. Sign in at https:\/\/track\.acme\.com\/app\n$/,
    )
    expect(code).toBe(0)

    expect((await newestLink(operator)).pathname).toBe('/auth/confirm')

    const deletions = cloudflare.calls.filter(({ call }) => call === DELETION)
    expect(deletions.map(({ sent }) => sent)).toEqual([{ secrets: { RESEND_API_KEY: null } }])
    const given = uploaded(cloudflare, 'secret_text')
    expect(Object.keys(given).toSorted()).toEqual(workerNames().toSorted())
    expect(JSON.stringify(cloudflare.calls)).not.toContain(new URL(url).password)
    expect(Object.keys(given).at(-1)).toBe('router')
    expect(given.router).toEqual({})
    expect(uploaded(cloudflare, 'plain_text').mailer).toMatchObject({
      MAIL_FROM: SETTINGS.MAIL_FROM,
    })
    expect(cloudflare.calls).toContainEqual({
      call: 'PUT scripts/tributary-router/domains/records',
      sent: expect.objectContaining({ origins: [{ hostname: 'track.acme.com' }] }),
    })
    expect(given.payouts).toEqual({
      DATABASE_URL: expect.any(String),
      SECRETS_KEY: SETTINGS.SECRETS_KEY,
    })
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
})

const DATABASE_URL =
  'postgresql://owner:npg_Abc123Def456@ep-x-pooler.eu-central-1.aws.neon.tech/neondb'

/** Does a step of a deployment with one Worker. */
const deployOne = async (
  { env }: Cloudflare,
  step: typeof upload,
  worker: string,
  settings: Record<string, string> = {},
  hosted: Partial<typeof host.env> = host.env,
): Promise<void> => {
  for (const [name, value] of Object.entries({ ...env, ...hosted })) vi.stubEnv(name, value)
  try {
    for (const deployment of deploymentOrder().filter(({ env }) => env === worker))
      await step(deployment, { ...SETTINGS, DATABASE_URL, ...settings })
  } finally {
    vi.unstubAllEnvs()
  }
}

/** The bindings to itself that each upload of the mailer had. */
const selfBindings = ({ calls }: Cloudflare) =>
  calls.flatMap(({ call, sent }) => {
    if (!/^(PUT scripts\/tributary-mailer|POST scripts\/tributary-mailer\/versions)$/.test(call))
      return []
    const { bindings } = sent as { bindings: { name: string; service?: string }[] }
    return [
      bindings.filter(({ service }) => service === 'tributary-mailer').map(({ name }) => name),
    ]
  })

test('wrangler is given the region of Neon, and Cloudflare’s binding for mail if it is chosen', async () => {
  const cloudflare = await openCloudflare()
  await deployOne(cloudflare, upload, 'mailer', { RESEND_API_KEY: '', CLOUDFLARE_EMAIL: 'true' })
  expect(selfBindings(cloudflare)).toEqual([['SELF']])
  expect(cloudflare.calls[0]).toMatchObject({
    call: 'PUT scripts/tributary-mailer',
    sent: {
      placement: { mode: 'targeted', region: 'aws:eu-central-1' },
      bindings: expect.arrayContaining([{ name: 'EMAIL', type: 'send_email' }]),
    },
  })
})

test('a Worker that may not bind itself until it exists is uploaded again', async () => {
  const cloudflare = await openCloudflare({ selfAtOnce: false })
  await deployOne(cloudflare, upload, 'mailer')
  expect(selfBindings(cloudflare)).toEqual([['SELF'], [], ['SELF']])
})

test('a Worker that binds one that does not exist fails once', async () => {
  const cloudflare = await openCloudflare()
  const uploaded = deployOne(cloudflare, upload, 'webhooks')
  await expect(uploaded).rejects.toThrow('Deploying webhooks failed.')
})

// wrangler asks in a terminal only, which `script` of Linux gives it.
test.runIf(process.platform === 'linux')(
  'a deployment fails if a question of wrangler is answered “no”',
  async () => {
    const cloudflare = await openCloudflare({
      workers: ['tributary-mailer'],
      lastDeployedFrom: 'api',
    })
    await withDatabase('deployed_declined', async (url) => {
      const file = await writeSettings({ ...SETTINGS, DATABASE_URL: url })
      const command = `${process.execPath} cli/deploy.ts --secrets-file ${file}`
      const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
        cwd: ROOT,
        env: { ...process.env, ...cloudflare.env, CI: 'false' },
      })
      let output = ''
      child.stdout.on('data', (part) => {
        const asked = output.includes('Would you like to continue?')
        output += part
        if (!asked && output.includes('Would you like to continue?')) child.stdin.write('n')
      })
      const [code] = await once(child, 'close')
      expect(output).toContain('mailer was not deployed, because wrangler')
      expect({ code, calls: cloudflare.calls }).toEqual({ code: 1, calls: [] })
    })
  },
)

test('a router that could not be connected to its host is connected by the next deployment', async () => {
  const records = 'PUT scripts/tributary-router/domains/records'
  const workers = workerNames().map((env) => `tributary-${env}`)
  const cloudflare = await openCloudflare({ workers, failing: [records] })
  await expect(deployOne(cloudflare, upload, 'router')).rejects.toThrow('Deploying router failed.')
  await deployOne(cloudflare, upload, 'router')
  expect(cloudflare.calls.filter(({ call }) => call === records)).toHaveLength(2)
})

test('a deployment that is interrupted leaves no file of secrets, and no wrangler', async () => {
  const cloudflare = await openCloudflare({ hanging: 'PUT scripts/tributary-mailer' })
  const TMPDIR = await mkdtemp(join(inject('folder'), 'interrupted-'))
  await withDatabase('deployed_interrupted', async (url) => {
    const file = await writeSettings({ ...SETTINGS, DATABASE_URL: url })
    const child = spawn(process.execPath, ['cli/deploy.ts', '--secrets-file', file], {
      cwd: ROOT,
      env: { ...process.env, ...cloudflare.env, TMPDIR },
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (part) => {
      said += part
    })
    await vi.waitFor(() => expect(cloudflare.calls).toHaveLength(1), 60_000)
    const left = async () =>
      (await readdir(TMPDIR)).filter((name) => name.startsWith('tributary-deploy-'))
    expect(await left()).toHaveLength(1)
    child.kill('SIGINT')
    // Its stderr ends with the last process that has it.
    const [code] = await once(child, 'close')
    expect({ code, left: await left() }).toEqual({ code: 1, left: [] })
    expect(said).toContain('Interrupted. Run this command again')
  })
})

test('an account without a workers.dev subdomain is told where to choose one', async () => {
  const cloudflare = await openCloudflare({ withSubdomain: false })
  await expect(deployOne(cloudflare, upload, 'mailer')).rejects.toThrow(
    'Open https://dash.cloudflare.com/?to=/:account/workers/onboarding',
  )
})

test('what is wrong is said before anything is changed, each on a line', async () => {
  const cloudflare = await openCloudflare()
  await withDatabase('deployed_never', async (url, client) => {
    const settings = {
      ...SETTINGS,
      DATABASE_URL: url,
      MAIL_FROM: '',
      PUBLIC_URL: 'https://track.example.com',
    }
    const { code, output } = await deploy(cloudflare, settings, ['--mail-to', 'ada'])
    expect(output).toMatch(
      /^\nNothing was deployed. Correct these first; .*\n- MAIL_FROM is missing.*\n- PUBLIC_URL .*\n- --mail-to .*\n$/,
    )
    expect(code).toBe(1)
    const { rows } = await client.query(
      "select from pg_class where relnamespace = 'public'::regnamespace",
    )
    expect({ rows, calls: cloudflare.calls }).toEqual({ rows: [], calls: [] })
  })
})

test('a machine that is not signed in to Cloudflare is told so before anything is changed', async () => {
  const cloudflare = await openCloudflare()
  const env = {
    ...cloudflare.env,
    CLOUDFLARE_API_TOKEN: '',
    HOME: inject('folder'),
    XDG_CONFIG_HOME: inject('folder'),
  }
  await withDatabase('deployed_by_nobody', async (url, client) => {
    const { code, output } = await deploy({ env }, { ...SETTINGS, DATABASE_URL: url }, [], {})
    expect(output).toContain('\n- Nobody is signed in to Cloudflare. Run `npx wrangler login`')
    expect(code).toBe(1)
    const { rows } = await client.query(
      "select from pg_class where relnamespace = 'public'::regnamespace",
    )
    expect(rows).toEqual([])
  })
})

test('--check only checks', async () => {
  const cloudflare = await openCloudflare()
  await withDatabase('deployed_checked', async (url, client) => {
    const { code, output } = await deploy(cloudflare, { ...SETTINGS, DATABASE_URL: url }, [
      '--check',
    ])
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringContaining('Everything is ready.'),
    })
    const { rows } = await client.query(
      "select from pg_class where relnamespace = 'public'::regnamespace",
    )
    expect({ rows, calls: cloudflare.calls }).toEqual({ rows: [], calls: [] })
    expect(await deploy(cloudflare, SETTINGS, ['--check'])).toMatchObject({ code: 1 })
  })
})

test.each([
  { case: 'that was never there', held: ['DATABASE_URL'], given: '' },
  { case: 'that is still given', held: ['DATABASE_URL', 'RESEND_API_KEY'], given: 're_1' },
])('an optional secret $case is not deleted', async ({ held, given }) => {
  const cloudflare = await openCloudflare({ secrets: held })
  await deployOne(cloudflare, deleteEmpty, 'mailer', { RESEND_API_KEY: given })
  expect(cloudflare.calls).toEqual([])
})

test('a deployment fails if it cannot delete an optional secret that is empty now', async () => {
  const cloudflare = await openCloudflare({ secrets: ['RESEND_API_KEY'], failing: [DELETION] })
  await expect(
    deployOne(cloudflare, deleteEmpty, 'mailer', { RESEND_API_KEY: '' }),
  ).rejects.toThrow('Deleting RESEND_API_KEY of mailer failed.')
})

test('the guide’s commands go back to the former version, list the versions, and remove a Worker', async () => {
  const guide = await readFile(`${ROOT}docs/deploying.md`, 'utf8')
  const commands = [...guide.matchAll(/npx wrangler ((?:rollback|versions|delete) [^`\n]+)/g)]
  expect(commands).toHaveLength(3)
  const cloudflare = await openCloudflare({ workers: ['tributary-mailer'] })
  let output = ''
  for (const [, command] of commands) {
    const child = spawn(
      'sh',
      ['-c', `"${process.execPath}" node_modules/wrangler/bin/wrangler.js ${command}`],
      {
        cwd: ROOT,
        env: { ...process.env, ...cloudflare.env, worker: 'mailer' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    child.stdout.on('data', (part) => {
      output += part
    })
    expect(await once(child, 'close')).toEqual([0, null])
  }
  expect(output.match(/^Version ID:/gm)).toHaveLength(2)
  expect(cloudflare.calls).toMatchObject([
    {
      call: 'POST scripts/tributary-mailer/deployments',
      sent: { versions: [{ version_id: FORMER_VERSION_ID, percentage: 100 }] },
    },
    { call: 'DELETE services/tributary-mailer' },
  ])
})

/**
 * `npm run deploy`: checks the settings and the database, applies the schema and migrations, and
 * uploads every Worker, the router last. --check only checks. --dry-run only builds, without
 * settings. --mail-to mails a sign-in link at the end.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { preparePublic } from '../dev/prepare.ts'
import { readEmail } from '../lib/values/emails.ts'
import { findProblems } from './deploy-checks.ts'
import type { Settings } from './deploy-config.ts'
import { type Deployment, deploymentOrder } from './deployments.ts'
import { mailLink, waitUntilReady } from './ready.ts'
import { applySchema } from './schema.ts'
import { deleteEmpty, upload } from './upload.ts'
import { isSignedIn, wrangler } from './wrangler.ts'

/** A round trip within a region takes some milliseconds. A sale makes two. */
const FAR_MS = 50

const readOptions = () =>
  parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      'mail-to': { type: 'string' },
      'secrets-file': { type: 'string', default: '.prod.vars' },
    },
  }).values

const readSettings = (path: string): Settings => {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(
      `The settings could not be read (${(error as Error).message}). Nothing was deployed. Copy .dev.vars.example to .prod.vars and fill it in, or name another file with --secrets-file.`,
    )
  }
}

/** The checked settings. @throws with all problems, a line each */
const readCheckedSettings = async (
  path: string,
  deployments: Deployment[],
  mailTo?: string,
): Promise<Settings> => {
  const settings = readSettings(path)
  const problems = await findProblems(settings, deployments)
  if (mailTo && !readEmail(mailTo)) problems.push(`--mail-to is not an email address: "${mailTo}".`)
  if (!(await isSignedIn()))
    problems.push(
      'Nobody is signed in to Cloudflare. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.',
    )
  if (problems.length === 0) return settings
  throw new Error(
    `Nothing was deployed. Correct these first; the settings are in ${path}.\n${problems.map((line) => `- ${line}`).join('\n')}`,
  )
}

/**
 * Builds Workers without uploading them, several concurrently, and prints wrangler's output of each
 * at its end.
 */
const buildOnly = async (envs: string[]): Promise<void> => {
  const left = [...envs]
  const buildNext = async (): Promise<void> => {
    const env = left.shift()
    if (env === undefined) return
    const args = [
      'deploy',
      '--env',
      env,
      '--dry-run',
      '--outdir',
      join('.wrangler', 'dry-run', env),
    ]
    const { output, failure } = await wrangler(args, { capture: true })
    console.log(`\n${env}\n${output.trimEnd()}`)
    if (failure)
      throw new Error(`Building ${env} failed. See the output above. Nothing was uploaded.`)
    await buildNext()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, buildNext))
}

const deploy = async (): Promise<void> => {
  const options = readOptions()
  const mailTo = options['mail-to']
  const deployments = deploymentOrder()
  if (options['dry-run']) {
    await preparePublic()
    await buildOnly(deployments.map(({ env }) => env))
    console.log(`\nAll ${deployments.length} Workers were built. Nothing was uploaded.`)
    return
  }

  const settings = await readCheckedSettings(options['secrets-file'], deployments, mailTo)
  if (options.check) {
    console.log('Everything is ready. `npm run deploy` deploys it.')
    return
  }
  await preparePublic()
  await applySchema(settings.DATABASE_URL ?? '').catch((error: Error) => {
    throw new Error(
      `Nothing was deployed, because the database is not up to date. ${error.message}`,
    )
  })
  console.log('The database is up to date.')
  for (const deployment of deployments) {
    console.log(`\n${deployment.env}`)
    await upload(deployment, settings)
    await deleteEmpty(deployment, settings)
  }

  const { PUBLIC_URL = '' } = settings
  console.log(`\nWaiting until ${PUBLIC_URL} is ready.`)
  const databaseMs = await waitUntilReady(PUBLIC_URL)
  const far = databaseMs > FAR_MS ? ' That is far: see docs/deploying.md, What is deployed.' : ''
  console.log(`A round trip from the Workers to the database takes ${databaseMs} ms.${far}`)
  if (mailTo) {
    await mailLink(PUBLIC_URL, mailTo)
    console.log(`A sign-in link was mailed to ${mailTo}.`)
  }
  console.log(`Deployed. Sign in at ${new URL('/app', PUBLIC_URL)}`)
}

// Otherwise Node would exit immediately, and leave a file with secrets.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    console.error('\nInterrupted. Run this command again to continue.')
    process.exit(1)
  })
}

try {
  await deploy()
} catch (error) {
  console.error(`\n${(error as Error).message}`)
  process.exitCode = 1
}

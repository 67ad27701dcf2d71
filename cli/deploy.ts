/** `npm run deploy`: the schema and migrations, then every Worker, the router last. --dry-run builds and uploads nothing. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { build } from '../dev/build.ts'
import { type Deployment, deploymentOrder, missingSecrets, shortSecrets } from './deployments.ts'
import { isWeakOwner } from './roles.ts'
import { applySchema } from './schema.ts'
import { deleteEmpty, upload } from './upload.ts'
import { wrangler } from './wrangler.ts'

const readOptions = () =>
  parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      'secrets-file': { type: 'string', default: '.prod.vars' },
    },
  }).values

const readSecrets = (path: string, deployments: Deployment[]): NodeJS.Dict<string> => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(
      `The secrets could not be read (${(error as Error).message}). Nothing was deployed. Copy .dev.vars.example to .prod.vars and fill it in, or name another file with --secrets-file.`,
    )
  }
  const secrets = parseEnv(text)
  const missing = missingSecrets(deployments, secrets)
  if (missing.length) throw new Error(`${path} is missing ${missing.join(', ')}. Nothing was deployed.`)
  const short = shortSecrets(secrets)
  if (short.length)
    throw new Error(
      `${path} has too short a value of ${short.join(' and ')}. Nothing was deployed. Use 32 characters or more.`,
    )
  if (isWeakOwner(secrets.DATABASE_URL ?? ''))
    throw new Error(
      `The password in DATABASE_URL of ${path} is shorter than 12 characters. Nothing was deployed. Those of the database roles are derived from it: change it in the database.`,
    )
  return secrets
}

/** Builds Workers without uploading them, several at a time, and prints wrangler's output of each when it is complete. */
const buildOnly = async (envs: string[]): Promise<void> => {
  const left = [...envs]
  const buildNext = async (): Promise<void> => {
    const env = left.shift()
    if (env === undefined) return
    const args = ['deploy', '--env', env, '--dry-run', '--outdir', join('.wrangler', 'dry-run', env)]
    const { output, failure } = await wrangler(args, { capture: true })
    console.log(`\n${env}\n${output.trimEnd()}`)
    if (failure) throw new Error(`Building ${env} failed. See the output above. Nothing was uploaded.`)
    await buildNext()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, buildNext))
}

const deploy = async (): Promise<void> => {
  const options = readOptions()
  const deployments = deploymentOrder()
  if (options['dry-run']) {
    await build()
    await buildOnly(deployments.map(({ env }) => env))
    console.log(`\nAll ${deployments.length} Workers were built. Nothing was uploaded.`)
    return
  }

  const secrets = readSecrets(options['secrets-file'], deployments)
  await build()
  await applySchema(secrets.DATABASE_URL ?? '').catch((error: Error) => {
    throw new Error(`Nothing was deployed, because the database is not up to date. ${error.message}`)
  })
  console.log('The database is up to date.')
  for (const deployment of deployments) {
    console.log(`\n${deployment.env}`)
    await upload(deployment, secrets)
    await deleteEmpty(deployment, secrets)
  }
  console.log('\nDeployed. The router is at the URL above.')
}

try {
  await deploy()
} catch (error) {
  console.error(`\n${(error as Error).message}`)
  process.exitCode = 1
}

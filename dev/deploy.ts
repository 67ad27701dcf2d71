/** `npm run deploy`: the schema, then every endpoint, the router last. With --dry-run it builds everything and uploads nothing. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { build } from './build.ts'
import { type Deployment, deploymentOrder, missingSecrets } from './deployments.ts'
import { applySchema } from './schema.ts'
import { ROOT } from './workers.ts'

const { values: options } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    'secrets-file': { type: 'string', default: '.prod.vars' },
  },
})

const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}

const readSecrets = (path: string): NodeJS.Dict<string> => {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch {
    return fail(
      `There is no ${path}. Copy .dev.vars.example to it and fill it in, or name another with --secrets-file.`,
    )
  }
}

const wrangler = (env: string, args: string[]): void => {
  const { status } = spawnSync('wrangler', ['deploy', '--env', env, ...args], { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) {
    fail(
      `${env} was not deployed: see above. What came before it is deployed; run this again when it is mended.`,
    )
  }
}

/** Uploads one Worker with the secrets that it needs and no others, by way of a file that only we can read. */
const upload = ({ env, secrets }: Deployment, values: NodeJS.Dict<string>): void => {
  if (secrets.length === 0) {
    wrangler(env, [])
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'tributary-deploy-'))
  try {
    const file = join(folder, 'secrets.json')
    writeFileSync(file, JSON.stringify(Object.fromEntries(secrets.map((name) => [name, values[name]]))), {
      mode: 0o600,
    })
    wrangler(env, ['--secrets-file', file])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const deployments = deploymentOrder()
await build()

if (options['dry-run']) {
  for (const { env } of deployments) {
    console.log(`\n${env}`)
    wrangler(env, ['--dry-run', '--outdir', join('.wrangler', 'dry-run', env)])
  }
  console.log(`\nAll ${deployments.length} Workers build. Nothing was uploaded.`)
} else {
  const secrets = readSecrets(options['secrets-file'])
  const missing = missingSecrets(deployments, secrets)
  if (missing.length) fail(`${options['secrets-file']} lacks ${missing.join(', ')}. Nothing was deployed.`)

  await applySchema(secrets.DATABASE_URL ?? '')
  console.log('schema.sql is applied.')
  for (const deployment of deployments) {
    console.log(`\n${deployment.env}`)
    upload(deployment, secrets)
  }
  console.log('\nDeployed. The router answers at the address above.')
}

/** Uploads Workers, each with its own secrets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../dev/root.ts'
import { configOf, type Settings, withoutSelf } from './deploy-config.ts'
import { type Deployment, secretsOf } from './deployments.ts'
import { adviceFor, isUnknownWorker, wrangler } from './wrangler.ts'

/** Writes the configuration of a Worker for wrangler. @returns the file */
const writeConfig = (env: string, config: object): string => {
  const folder = join(ROOT, '.wrangler', 'config')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${env}.json`)
  writeFileSync(file, JSON.stringify(config, null, 2))
  return file
}

/**
 * Cloudflare may refuse a binding of a Worker to itself until the Worker exists. It is then
 * uploaded without that binding first.
 */
const uploadOnceOrTwice = async (env: string, settings: Settings, args: string[]) => {
  const config = configOf(env, settings)
  const run = (given: object) => wrangler(['deploy', '--config', writeConfig(env, given), ...args])
  const outcome = await run(config)
  const rest = withoutSelf(config)
  if (!isUnknownWorker(outcome.failure) || rest.services.length === config.services.length)
    return outcome
  console.log(`${env} binds itself. It is uploaded without that binding first.`)
  const first = await run(rest)
  return first.uploaded ? run(config) : first
}

const deployWorker = async (env: string, settings: Settings, args: string[]): Promise<void> => {
  const { failure, uploaded } = await uploadOnceOrTwice(env, settings, args)
  if (failure)
    throw new Error(
      `Deploying ${env} failed. The Workers before it are deployed. ${adviceFor(failure)}`,
    )
  if (!uploaded)
    throw new Error(
      `${env} was not deployed, because wrangler's question was answered "no". The Workers before it are deployed. Run this command again to continue.`,
    )
}

/**
 * Calls `use` with a file of these secrets that only this user can read, and deletes the file. A
 * null deletes a secret.
 */
const withSecretsFile = async <T>(
  secrets: Record<string, string | null>,
  use: (file: string) => Promise<T>,
): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-deploy-'))
  const remove = () => rmSync(folder, { recursive: true })
  process.once('exit', remove)
  try {
    const file = join(folder, 'secrets.json')
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 })
    return await use(file)
  } finally {
    process.off('exit', remove)
    remove()
  }
}

/** Uploads a Worker with its settings and its own secrets. */
export const upload = (deployment: Deployment, settings: Settings): Promise<void> => {
  const { env, secrets } = deployment
  if (secrets.length === 0) return deployWorker(env, settings, [])
  return withSecretsFile(secretsOf(deployment, settings), (file) =>
    deployWorker(env, settings, ['--secrets-file', file]),
  )
}

/** Deletes optional secrets that are now empty: an upload keeps those that it does not mention. */
export const deleteEmpty = async (
  { env, optional }: Deployment,
  settings: Settings,
): Promise<void> => {
  const empty = optional.filter((name) => !settings[name])
  if (empty.length === 0) return
  const config = writeConfig(env, configOf(env, settings))
  const listed = await wrangler(['secret', 'list', '--config', config], { capture: true })
  if (listed.failure) throw new Error(`Listing the secrets of ${env} failed.\n${listed.output}`)
  const held: { name: string }[] = JSON.parse(listed.stdout)
  const left = empty.filter((name) => held.some((secret) => secret.name === name))
  if (left.length === 0) return
  const nulls = Object.fromEntries(left.map((name) => [name, null]))
  const { failure } = await withSecretsFile(nulls, (file) =>
    wrangler(['secret', 'bulk', file, '--config', config]),
  )
  if (failure)
    throw new Error(`Deleting ${left.join(', ')} of ${env} failed. ${adviceFor(failure)}`)
}

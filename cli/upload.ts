/** Uploads Workers, each with its own secrets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../dev/root.ts'
import { configOf, type Settings } from './deploy-config.ts'
import { type Deployment, secretsOf } from './deployments.ts'
import { adviceFor, wrangler } from './wrangler.ts'

/** Writes the configuration of a Worker for wrangler. @returns the file */
const writeConfig = (env: string, settings: Settings): string => {
  const folder = join(ROOT, '.wrangler', 'config')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${env}.json`)
  writeFileSync(file, JSON.stringify(configOf(env, settings), null, 2))
  return file
}

const deployWorker = async (env: string, settings: Settings, args: string[]): Promise<void> => {
  const { failure } = await wrangler(['deploy', '--config', writeConfig(env, settings), ...args])
  if (failure)
    throw new Error(`Deploying ${env} failed. The Workers before it are deployed. ${adviceFor(failure)}`)
}

/** Calls `use` with a file of these secrets that only this user can read, and removes it. A null deletes a secret. */
const withSecretsFile = async <T>(
  secrets: Record<string, string | null>,
  use: (file: string) => Promise<T>,
): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-deploy-'))
  try {
    const file = join(folder, 'secrets.json')
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 })
    return await use(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Uploads one Worker with its settings, only its own secrets, and the role of its zone. */
export const upload = (deployment: Deployment, settings: Settings): Promise<void> => {
  const { env, secrets } = deployment
  if (secrets.length === 0) return deployWorker(env, settings, [])
  return withSecretsFile(secretsOf(deployment, settings), (file) =>
    deployWorker(env, settings, ['--secrets-file', file]),
  )
}

/** Deletes the optional secrets that are empty now: Cloudflare keeps those that an upload does not mention. */
export const deleteEmpty = async ({ env, optional }: Deployment, settings: Settings): Promise<void> => {
  const empty = optional.filter((name) => !settings[name])
  if (empty.length === 0) return
  const listed = await wrangler(['secret', 'list', '--env', env], { capture: true })
  if (listed.failure) throw new Error(`Listing the secrets of ${env} failed.\n${listed.output}`)
  const held: { name: string }[] = JSON.parse(listed.stdout)
  const left = empty.filter((name) => held.some((secret) => secret.name === name))
  if (left.length === 0) return
  const nulls = Object.fromEntries(left.map((name) => [name, null]))
  const { failure } = await withSecretsFile(nulls, (file) => wrangler(['secret', 'bulk', file, '--env', env]))
  if (failure) throw new Error(`Deleting ${left.join(', ')} of ${env} failed. ${adviceFor(failure)}`)
}

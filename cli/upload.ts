/** Uploads Workers, each with its own secrets. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Deployment, secretsOf } from './deployments.ts'
import { adviceFor, wrangler } from './wrangler.ts'

const deployWorker = async (env: string, args: string[]): Promise<void> => {
  const { failure } = await wrangler(['deploy', '--env', env, ...args])
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

/** Uploads one Worker with only its own secrets, and the role of its zone. */
export const upload = (deployment: Deployment, values: NodeJS.Dict<string>): Promise<void> => {
  const { env, secrets } = deployment
  if (secrets.length === 0) return deployWorker(env, [])
  return withSecretsFile(secretsOf(deployment, values), (file) => deployWorker(env, ['--secrets-file', file]))
}

/** Deletes the optional secrets that are empty now: Cloudflare keeps those that an upload does not mention. */
export const deleteEmpty = async (
  { env, optional }: Deployment,
  values: NodeJS.Dict<string>,
): Promise<void> => {
  const empty = optional.filter((name) => !values[name])
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

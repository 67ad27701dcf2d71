import { readFileSync } from 'node:fs'
import { unstable_readConfig } from 'wrangler'
import { ROOT } from '../root.ts'

/** The envs of wrangler.toml, one per Worker, the router first. */
export const workerNames = (): string[] =>
  [...readFileSync(`${ROOT}wrangler.toml`, 'utf8').matchAll(/^\[env\.([\w-]+)\]$/gm)].flatMap(
    ([, name]) => name ?? [],
  )

/** The keys of wrangler.toml that the local runtime knows, as wrangler reads them. */
type WorkerConfig = {
  main: string
  compatibility_date: string
  compatibility_flags: string[]
  vars: Record<string, string>
  secrets?: { required?: string[] }
  services: { binding: string; service: string }[]
  ratelimits: { name: string; namespace_id: string; simple: { limit: number; period: number } }[]
  assets?: { directory?: string }
  triggers: { crons?: string[] }
}

/** A Worker's part of wrangler.toml. */
export const readWorkerConfig = (env: string): WorkerConfig =>
  unstable_readConfig({ config: `${ROOT}wrangler.toml`, env })

/** Optional secrets by Worker; wrangler.toml can only list required ones. */
const OPTIONAL_SECRETS: Record<string, string[]> = { mailer: ['RESEND_API_KEY'] }

/** The names of a Worker's optional secrets. */
export const optionalSecrets = (env: string): string[] => OPTIONAL_SECRETS[env] ?? []

/** The names of a Worker's required secrets. */
export const requiredSecrets = (env: string): string[] => readWorkerConfig(env).secrets?.required ?? []

/** A Worker's cron expressions. */
export const cronsOf = (env: string): string[] => readWorkerConfig(env).triggers.crons ?? []

/** The Workers that have a cron. */
export const cronWorkers = (): string[] => workerNames().filter((env) => cronsOf(env).length > 0)

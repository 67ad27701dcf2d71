import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { ROOT } from '../root.ts'

/**
 * A Worker's part of wrangler.toml: the keys that the local runtime and the deployment read, with
 * their defaults.
 */
export type WorkerConfig = {
  /** Absolute. */
  main: string
  compatibility_date: string
  compatibility_flags: string[]
  vars: Record<string, string>
  secrets: { required: string[] }
  services: { binding: string; service: string; entrypoint?: string }[]
  ratelimits: { name: string; namespace_id: string; simple: { limit: number; period: number } }[]
  assets?: { directory: string }
  triggers: { crons: string[] }
}

type OwnConfig = Partial<WorkerConfig> & Pick<WorkerConfig, 'main'>

/**
 * The Workers of wrangler.toml by their env, the router first. Read by a parser of TOML and not by
 * wrangler, whose import takes a second. tests/wrangler.test.ts compares the two.
 */
export const readWorkerConfigs = (): Map<string, WorkerConfig> => {
  const { env, ...shared } = parse(readFileSync(`${ROOT}wrangler.toml`, 'utf8'))
  const withDefaults = (own: OwnConfig): WorkerConfig => ({
    compatibility_flags: [],
    vars: {},
    secrets: { required: [] },
    services: [],
    ratelimits: [],
    triggers: { crons: [] },
    ...(shared as Pick<WorkerConfig, 'compatibility_date'>),
    ...own,
    main: join(ROOT, own.main),
  })
  const envs = Object.entries(env as Record<string, OwnConfig>)
  return new Map(envs.map(([name, own]) => [name, withDefaults(own)]))
}

/** The envs of wrangler.toml, one per Worker. */
export const workerNames = (): string[] => [...readWorkerConfigs().keys()]

/** Optional secrets by Worker; wrangler.toml can only list required ones. */
const OPTIONAL_SECRETS: Record<string, string[]> = {
  mailer: ['RESEND_API_KEY', 'RESEND_BULK_API_KEY'],
  'resend-webhook': ['RESEND_WEBHOOK_SECRET', 'RESEND_BULK_WEBHOOK_SECRET'],
}

/** The names of a Worker's optional secrets. */
export const optionalSecrets = (env: string): string[] => OPTIONAL_SECRETS[env] ?? []

/** The Workers that have a cron. */
export const cronWorkers = (): string[] =>
  [...readWorkerConfigs()]
    .filter(([, { triggers }]) => triggers.crons.length > 0)
    .map(([env]) => env)

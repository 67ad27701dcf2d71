import { optionalSecrets, readWorkerConfigs } from '../dev/runtime/wrangler-config.ts'
import { workerUrl } from './roles.ts'

/** A Worker, with the names of its required and its optional secrets. */
export type Deployment = { env: string; secrets: string[]; optional: string[] }

/**
 * Every Worker of wrangler.toml. The router is last, because its bindings need the other Workers.
 */
export const deploymentOrder = (): Deployment[] =>
  [...readWorkerConfigs()]
    .sort(([a], [b]) => Number(a === 'router') - Number(b === 'router'))
    .map(([env, { secrets }]) => ({
      env,
      secrets: secrets.required,
      optional: optionalSecrets(env),
    }))

/** Required secrets that are missing. */
export const missingSecrets = (deployments: Deployment[], given: NodeJS.Dict<string>): string[] => [
  ...new Set(deployments.flatMap(({ secrets }) => secrets).filter((name) => !given[name])),
]

/** The secrets of a Worker. Its DATABASE_URL is that of its zone, not the owner's. */
export const secretsOf = (
  { env, secrets, optional }: Deployment,
  given: NodeJS.Dict<string>,
): Record<string, string> =>
  Object.fromEntries(
    [...secrets, ...optional].flatMap((name) => {
      const value = given[name]
      if (!value) return []
      return [[name, name === 'DATABASE_URL' ? workerUrl(value, env) : value]]
    }),
  )

import { optionalSecrets, requiredSecrets, workerNames } from '../dev/runtime/workers.ts'

/** One Worker, and the names of the secrets that it needs, and of those that it takes when there are any. */
export type Deployment = { env: string; secrets: string[]; optional: string[] }

/** Every Worker of wrangler.toml, the router last: its bindings name the others, which must be there. */
export const deploymentOrder = (): Deployment[] =>
  workerNames()
    .sort((a, b) => Number(a === 'router') - Number(b === 'router'))
    .map((env) => ({ env, secrets: requiredSecrets(env), optional: optionalSecrets(env) }))

/** The secrets that some Worker needs and the file doesn't give. */
export const missingSecrets = (deployments: Deployment[], given: NodeJS.Dict<string>): string[] => [
  ...new Set(deployments.flatMap(({ secrets }) => secrets).filter((name) => !given[name])),
]

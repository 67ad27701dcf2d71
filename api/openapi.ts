import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import { bodyOf, type Schema, samplesOf } from './code-samples.ts'
import { operationId } from './operation-id.ts'
import { WORKSPACE } from './operations.ts'
import { paths } from './paths.ts'
import { webhookOperations } from './webhooks.ts'

/** The first word of a path below the workspace: what an operation is about. */
const topicOf = (path: string): string => {
  const short = path.startsWith(WORKSPACE) ? path.slice(WORKSPACE.length) : path.replace('/api', '')
  const [word = ''] = short.split('/').filter(Boolean)
  const name = word.replaceAll('-', ' ').replace('api', 'API') || 'workspaces'
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Operations with their ids and tags. Without `security`, they are public. */
const identified: ZodOpenApiPathsObject = Object.fromEntries(
  Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [
        method,
        {
          operationId: operationId(method, path),
          tags: [topicOf(path)],
          security: [],
          ...operation,
        },
      ]),
    ),
  ]),
)

const describe = () =>
  createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tributary',
      version: '1',
      description:
        'Tracks sales and leads, receives Stripe events, explains each commission, pays partners, and imports them ' +
        'from other platforms.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A live API key: `trib_live_...`' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-tributary.session',
          description: 'The cookie of a person signed in at /sign-in.',
        },
      },
    },
    paths: identified,
    webhooks: webhookOperations,
  })

/** The OpenAPI 3.1 document, with samples and an example of each request. */
export const openapi = () => {
  const document = describe()
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(item) as [
      string,
      Parameters<typeof samplesOf>[2],
    ][]) {
      Object.assign(operation, { 'x-codeSamples': samplesOf(method, path, operation, schemas) })
      const json = operation.requestBody?.content['application/json']
      if (json) Object.assign(json, { example: bodyOf(operation, schemas) })
    }
  }
  return document
}

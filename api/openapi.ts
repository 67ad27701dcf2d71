import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import { bodyOf, samplesOf } from './code-samples.ts'
import type { Schema } from './document.ts'
import { mapOperations, WORKSPACE } from './operations.ts'
import { paths } from './paths.ts'
import { webhookOperations } from './webhooks.ts'

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** A name for code that is generated from the document: `getPartnersById`. */
const operationId = (method: string, path: string): string => {
  const short = path.startsWith(WORKSPACE)
    ? path.slice(WORKSPACE.length) || '/workspace'
    : path.replace(/^\/api\//, '/')
  const words = short.split('/').filter(Boolean)
  return (
    method +
    words
      .map((word) =>
        word.startsWith('{')
          ? `By${capital(word.slice(1, -1))}`
          : word.split('-').map(capital).join(''),
      )
      .join('')
  )
}

/** The topic of an operation: the first word of its path below the workspace. */
const topicOf = (path: string): string => {
  const short = path.startsWith(WORKSPACE) ? path.slice(WORKSPACE.length) : path.replace('/api', '')
  const [word = ''] = short.split('/').filter(Boolean)
  const name = word.replaceAll('-', ' ').replace('api', 'API') || 'workspaces'
  return capital(name)
}

/** Operations with their ids and tags. Without `security`, they are public. */
const identified: ZodOpenApiPathsObject = mapOperations(paths, (operation, method, path) => ({
  operationId: operationId(method, path),
  tags: [topicOf(path)],
  security: [],
  ...operation,
}))

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
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, `trib_live_...` or `trib_test_...`, with the scope that the operation names.',
        },
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
    for (const [method, operation] of Object.entries(
      item as Record<string, Parameters<typeof samplesOf>[2]>,
    )) {
      Object.assign(operation, { 'x-codeSamples': samplesOf(method, path, operation, schemas) })
      const json = operation.requestBody?.content['application/json']
      if (json) Object.assign(json, { example: bodyOf(operation, schemas) })
    }
  }
  return document
}

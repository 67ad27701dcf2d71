import plugin from '@scalar/fastify-api-reference'

type Reply = { header: () => Reply; send: (text: string) => void }
type Route = { url: string; handler: (request: object, reply: Reply) => void }

/** The used part of the plugin. Its own types need Fastify's. */
const register = plugin as unknown as (
  server: { route: (route: Route) => void },
  options: { configuration: { url: string } },
  done: () => void,
) => void

/**
 * The script of Scalar's API reference for browsers, 4.9 MB. It is taken from Scalar's Fastify
 * plugin, which has 16 packages. `@scalar/api-reference`, the source of the script, has 327.
 */
export const scalarScript = (): string => {
  let script = ''
  const reply: Reply = {
    header: () => reply,
    send: (text) => {
      script = text
    },
  }
  const route = ({ url, handler }: Route) => {
    if (url.endsWith('.js')) handler({}, reply)
  }
  register({ route }, { configuration: { url: '/openapi.json' } }, () => {})
  if (!script.includes('createApiReference'))
    throw new Error('Scalar’s plugin no longer serves its script.')
  return script
}

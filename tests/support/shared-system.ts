import { createServer } from 'node:http'
import { inject } from 'vitest'
import { listen } from '../../dev/runtime/ports.ts'
import { type System, startSystem } from './system.ts'

/** The system that test files share. No test may rely on being alone in it. */
export type SharedSystem = Pick<System, 'demo' | 'pid'> & {
  /** What it printed before it was ready. */
  output: string
}

/**
 * Offers one system to all test files: a start costs about ten CPU seconds. The first request
 * starts it, and each response describes it.
 *
 * @param databaseUrl an empty database, which it uses instead of a Postgres of its own
 */
export const offerSystem = async (databaseUrl: string) => {
  let starting: Promise<System> | undefined
  const server = createServer(async (_request, response) => {
    starting ??= startSystem({ DATABASE_URL: databaseUrl })
    try {
      const { demo, pid, output } = await starting
      response.end(JSON.stringify({ demo, pid, output: output() } satisfies SharedSystem))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  const { url, stop } = await listen(server)
  return {
    url,
    /** @throws when the system did not stop cleanly */
    stop: async () => {
      await stop()
      const system = await starting?.catch(() => undefined)
      const code = await system?.stop()
      if (code) throw new Error(`The system of npm start ended with ${code}:\n${system?.output()}`)
    },
  }
}

/** The shared system, which is started when a test file first asks for it. */
export const sharedSystem = async (): Promise<SharedSystem> => {
  const answer = await fetch(inject('systemUrl'))
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as SharedSystem
}

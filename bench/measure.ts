import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'

export type Answer = { ms: number; body: Record<string, unknown> }

const agent = new Agent({ keepAlive: true })

/** Posts JSON over a kept-alive connection, and times it. @throws when the response is not 200 */
export const post = async (
  url: URL,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const text = JSON.stringify(body)
  const start = performance.now()
  const call = request(url, {
    agent,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...headers },
  })
  call.end(text)
  const [answer]: IncomingMessage[] = await once(call, 'response')
  const parts = await answer?.toArray()
  const ms = performance.now() - start
  const answered = Buffer.concat(parts ?? []).toString()
  if (answer?.statusCode !== 200) throw new Error(`${url} answered ${answer?.statusCode}: ${answered}`)
  return { ms, body: JSON.parse(answered) }
}

/**
 * Calls each once per round, in random order, so that noise on the machine affects all alike.
 *
 * @returns the median time of each, in milliseconds
 */
export const interleave = async <Name extends string>(
  calls: Record<Name, () => Promise<Answer>>,
  rounds: { warmUp: number; measured: number },
): Promise<Record<Name, number>> => {
  const names = Object.keys(calls) as Name[]
  const times = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (let round = -rounds.warmUp; round < rounds.measured; round++) {
    for (const name of names.toSorted(() => Math.random() - 0.5)) {
      const { ms, body } = await calls[name]()
      if (body.attributed === false) throw new Error(`${name} was not attributed, so it did not do the work.`)
      if (round >= 0) times.get(name)?.push(ms)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<
    Name,
    number
  >
}

/** The median. */
export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

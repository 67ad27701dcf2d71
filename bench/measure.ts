import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Backends } from './backend-cpu.ts'

export type Answer = { ms: number; body: Record<string, unknown> }

const agent = new Agent({ keepAlive: true })

/** Posts JSON over a kept-alive connection, and times it. @throws when the response is not 200 */
export const post = (
  url: URL,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => postText(url, JSON.stringify(body), headers)

/** Posts a body that was serialized before. @throws when the response is not 200 */
export const postText = async (
  url: URL,
  text: string,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const start = performance.now()
  const call = request(url, {
    agent,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      ...headers,
    },
  })
  call.end(text)
  const [answer]: IncomingMessage[] = await once(call, 'response')
  const parts = await answer?.toArray()
  const ms = performance.now() - start
  const answered = Buffer.concat(parts ?? []).toString()
  if (answer?.statusCode !== 200)
    throw new Error(`${url} answered ${answer?.statusCode}: ${answered}`)
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
      if (body.attributed === false)
        throw new Error(`${name} was not attributed, so it did not do the work.`)
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

/** What was called in a time, and what it cost the database. */
export type Throughput = { calls: number; seconds: number; backendMs: number }

/** Enough to use all cores. */
export const CALLERS = 8

/**
 * Lets eight callers call as often as they can, for a time.
 * @param call gets the number of the caller
 */
const saturate = async (call: (caller: number) => Promise<unknown>, ms: number) => {
  let calls = 0
  const start = performance.now()
  const callAgain = async (_: unknown, caller: number): Promise<void> => {
    while (performance.now() - start < ms) {
      await call(caller)
      calls++
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, callAgain))
  return { calls, seconds: (performance.now() - start) / 1_000 }
}

/**
 * Loads each with eight callers, in slices of time that alternate in random order, after one slice
 * that doesn't count.
 *
 * @param backends what the database's processes spend, if it can be read
 */
export const alternate = async <Name extends string>(
  loads: Record<Name, (caller: number) => Promise<unknown>>,
  { slices, sliceMs, backends }: { slices: number; sliceMs: number; backends: Backends | null },
): Promise<Record<Name, Throughput>> => {
  const names = Object.keys(loads) as Name[]
  const sums = new Map(names.map((name) => [name, { calls: 0, seconds: 0, backendMs: 0 }]))
  for (let slice = -1; slice < slices; slice++) {
    for (const name of names.toSorted(() => Math.random() - 0.5)) {
      const before = backends?.snapshot()
      const { calls, seconds } = await saturate(loads[name], sliceMs)
      const sum = sums.get(name)
      if (slice < 0 || !sum) continue
      sum.calls += calls
      sum.seconds += seconds
      if (backends && before) sum.backendMs += backends.between(before, backends.snapshot())
    }
  }
  return Object.fromEntries(sums) as Record<Name, Throughput>
}

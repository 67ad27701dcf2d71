/**
 * Lets something happen at one step of some work in this process: at one of its fetches, of the
 * database or of Stripe.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, beforeAll } from 'vitest'

/**
 * When it happens: before the step; after it, whose answer is lost; or once the process was killed,
 * before the step or after it.
 */
export const MOMENTS = ['before', 'answer_lost', 'killed_before', 'killed_after'] as const
export type Moment = (typeof MOMENTS)[number]

/** What happens at a step. */
export type Happening = { place: number; moment: Moment; event: () => Promise<unknown> }

/** A fetch that begins, in whatever work. */
export type Begun = { method: string; url: string; body: string }

type Work = {
  happening: Happening | null
  /** What each fetch was for. */
  steps: string[]
  isDead: boolean
  die: () => void
}

const never = () => new Promise<never>(() => {})

/** The name of a step, such as "POST /v1/transfers" or "update payouts". */
const nameOf = ({ method, url, body }: Begun): string => {
  const { pathname } = new URL(url)
  if (!pathname.startsWith('/sql')) return `${method} ${pathname}`
  return /(?:insert into|update|delete from) "?\w+/.exec(body)?.[0].replace('"', '') ?? 'select'
}

/** Watches all fetches of this process. Called once by a test file, at its top. */
export const useSteps = () => {
  const works = new AsyncLocalStorage<Work | undefined>()
  const real = fetch
  let onBegin: (begun: Begun) => void = () => {}

  const watched: typeof fetch = async (input, init) => {
    const work = works.getStore()
    // A killed process sends nothing, and gets no response.
    if (work?.isDead) return never()
    const begun = {
      method: init?.method ?? 'GET',
      url: String(input),
      body: String(init?.body ?? ''),
    }
    onBegin(begun)
    const place = work?.steps.push(nameOf(begun)) ?? 0
    const happening = work?.happening
    if (!work || !happening || place - 1 !== happening.place) return real(input, init)

    const { moment, event } = happening
    if (moment === 'answer_lost' || moment === 'killed_after')
      await (await real(input, init)).text()
    if (moment === 'killed_before' || moment === 'killed_after') {
      work.isDead = true
      work.die()
      return never()
    }
    await works.run(undefined, event)
    if (moment === 'answer_lost') throw new TypeError('fetch failed')
    return real(input, init)
  }
  beforeAll(() => {
    globalThis.fetch = watched
  })
  afterAll(() => {
    globalThis.fetch = real
  })

  return {
    /** Calls a function for each fetch that begins, until it is called again. */
    observe: (onFetch: (begun: Begun) => void) => {
      onBegin = onFetch
    },
    /**
     * Does some work, to its end or its death.
     * @returns its steps, and whether the event happened
     */
    during: async (happening: Happening | null, work: () => Promise<unknown>) => {
      let die = () => {}
      const death = new Promise<void>((resolve) => {
        die = resolve
      })
      const state: Work = { happening, steps: [], isDead: false, die }
      await Promise.race([death, works.run(state, () => work().catch(() => {}))])
      if (happening && state.isDead) await happening.event()
      return {
        steps: state.steps,
        isReached: happening !== null && state.steps.length > happening.place,
      }
    },
  }
}

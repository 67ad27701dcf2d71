/** Kills what a run of this process needs, in the middle of it: each step of a run is a fetch. */
import { vi } from 'vitest'

/** Who is gone, from one fetch of a run on: this process for good, the database or Stripe until the run ends. */
export const VICTIMS = ['process', 'database', 'stripe'] as const
export type Cut = {
  victim: (typeof VICTIMS)[number]
  /** Whether the fetch at which it happens is still carried out. */
  isCarriedOut: boolean
  /** The fetch, of all that the run makes. */
  place: number
}

const never = () => new Promise<never>(() => {})

/** Does something while somebody is killed. @returns how many fetches it made, and whether it came to its end */
export const during = async (cut: Cut | null, stripeUrl: string, work: () => Promise<unknown>) => {
  const real = fetch
  let fetches = 0
  let killed: () => void = () => {}
  const death = new Promise<'killed'>((resolve) => {
    killed = () => resolve('killed')
  })
  const cutFetch: typeof fetch = async (input, init) => {
    const place = fetches++
    if (!cut || place < cut.place) return real(input, init)
    const isStripe = String(input instanceof Request ? input.url : input).startsWith(stripeUrl)
    const isHit = cut.victim === 'process' || (cut.victim === 'stripe') === isStripe
    if (!isHit) return real(input, init)
    if (place === cut.place && cut.isCarriedOut) await (await real(input, init)).text()
    if (cut.victim !== 'process') throw new TypeError('fetch failed')
    killed()
    // Whoever is dead hears of nothing any more.
    return never()
  }
  vi.stubGlobal('fetch', cutFetch)
  const end = await Promise.race([
    death,
    work().then(
      () => 'ended' as const,
      () => 'failed' as const,
    ),
  ])
  vi.unstubAllGlobals()
  return { fetches, end }
}

/** Interrupts a run in this process at one of its fetches. */
import { vi } from 'vitest'

/**
 * What fails from one fetch on: this process for good; the database or Stripe until the run ends.
 */
export const VICTIMS = ['process', 'database', 'stripe'] as const
export type Cut = {
  victim: (typeof VICTIMS)[number]
  /** Whether the fetch at which it happens still takes effect. */
  isCarriedOut: boolean
  /** The index of the fetch. */
  place: number
}

const never = () => new Promise<never>(() => {})

/** Runs `work` and applies the cut. @returns the number of fetches, and how the work ended */
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
    // A killed process gets no response.
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

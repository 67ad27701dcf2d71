/** How a step of a random history is drawn. */
import fc from 'fast-check'
import type { History } from './world.ts'

export type Step = {
  /** Seconds since the step before. */
  gap: number
  take: (history: History) => Promise<unknown>
}

export const step = <T extends object>(
  name: string,
  draw: { [K in keyof T]: fc.Arbitrary<T[K]> },
  take: (history: History, drawn: T) => Promise<unknown>,
): fc.Arbitrary<Step> =>
  fc
    .tuple(fc.constantFrom(3, 3, 3, 1_800, 90_000, 90_000, 1_800_000), fc.record(draw))
    .map(([gap, drawn]) => ({
      gap,
      take: (history: History) => take(history, drawn as T),
      toString: () => `${gap} s later, ${name} ${JSON.stringify(drawn)}`,
    }))

/** One of a list, if it has any. */
export const anyOf = <T>(list: readonly T[], index: number): T | undefined =>
  list[index % Math.max(list.length, 1)]

export const which = fc.nat(20)
/** Every second time. (`freq: 1` is never.) */
export const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 })
export const program = fc.constantFrom(0, 1)
export const person = fc.constantFrom('u1', 'u1', 'u2', 'u3')
export const currency = fc.constantFrom('USD', 'USD', 'USD', 'EUR', 'JPY')

export const addressOf = (person: string): string => `${person}@buyer.example`

export const clickOf = ({ clicks }: History, click: number | null): string | null =>
  click === null ? null : (anyOf(clicks, click) ?? null)

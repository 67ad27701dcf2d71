import { setTimeout as pause } from 'node:timers/promises'
import type { Demo } from '../../dev/demo/demo.ts'

const CALLERS = 4

/**
 * Reports sales one after another from several backends, each of which repeats a sale until it is
 * saved.
 */
export const reportSales = ({ baseUrl, apiKey }: Demo, prefix: string) => {
  const saved: string[] = []
  const statuses = new Set<number>()
  let slowestMs = 0
  let serial = 0
  let stopped = false

  const report = async (id: string) => {
    const start = performance.now()
    const response = await fetch(`${baseUrl}/api/track/sale`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ externalId: id, customerExternalId: id, amountCents: 4_900 }),
    })
    await response.text()
    slowestMs = Math.max(slowestMs, performance.now() - start)
    statuses.add(response.status)
    if (response.status === 200) saved.push(id)
    else if (!/^\d+$/.test(response.headers.get('Retry-After') ?? '')) {
      throw new Error(`A response of ${response.status} without Retry-After.`)
    } else await pause(50)
    return response.ok
  }
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!stopped) {
      const id = `${prefix}-${serial++}`
      while (!(await report(id)));
    }
  })

  return {
    /** Resolves when this many more sales are saved. */
    untilSaved: async (count: number): Promise<void> => {
      const enough = saved.length + count
      const saving = async () => {
        while (saved.length < enough) await pause(20)
      }
      // A caller that fails must not leave the test waiting.
      await Promise.race([saving(), ...callers])
    },
    /** @returns the ids of the saved sales, each status received, and the slowest response */
    stop: async () => {
      stopped = true
      await Promise.all(callers)
      return { saved, statuses, slowestMs }
    },
  }
}

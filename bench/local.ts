/** `npm start` itself: how soon it is ready, and how much memory it holds after many sales. */
import { readdirSync, readFileSync } from 'node:fs'
import { CALLERS } from './measure.ts'
import { createMerchant, newClick, sales } from './merchant.ts'
import { startFresh, startOn } from './npm-start.ts'
import type { Table } from './table.ts'

const SALES = Number(process.env.BENCH_SALES ?? 50_000)

/** Process ids by their parent's. */
const children = (): Map<number, number[]> => {
  const byParent = new Map<number, number[]>()
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const parent = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
      byParent.set(parent, [...(byParent.get(parent) ?? []), pid])
    } catch {
      // It has ended since the folder was listed.
    }
  }
  return byParent
}

/** A process's memory in MB; of what it shares with others, its share (PSS). */
const memoryOf = (pid: number): number => {
  try {
    const kb = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    return Number(kb ?? 0) / 1_024
  } catch {
    return 0
  }
}

/** The memory of a process and all its descendants, in MB. */
const memoryOfTree = (root: number): number => {
  const byParent = children()
  const sum = (pid: number): number =>
    (byParent.get(pid) ?? []).reduce((total, child) => total + sum(child), memoryOf(pid))
  return sum(root)
}

/** Reports sales through the public port, by eight callers. */
const report = async (call: (caller: number) => Promise<unknown>, count: number): Promise<void> => {
  let left = count
  const callAgain = async (_: unknown, caller: number): Promise<void> => {
    while (left-- > 0) await call(caller)
  }
  await Promise.all(Array.from({ length: CALLERS }, callAgain))
}

/** Measures, and adds the rows. Memory needs Linux' /proc. */
export const measureLocal = async (
  table: Table,
  onProgress: (text: string) => void,
): Promise<void> => {
  const first = await startFresh()
  await first.pause()
  const second = await startOn(first.dataDir)
  try {
    table.atMost('npm start in a warm clone, to ready, in s', second.readyMs / 1_000, 4)
    if (process.platform !== 'linux') return

    const { baseUrl, databaseUrl, sqlEndpoint } = second.demo
    const merchant = await createMerchant({
      DATABASE_URL: databaseUrl,
      SQL_ENDPOINT: sqlEndpoint ?? '',
    })
    const origin = new URL(baseUrl)
    const clickId = await newClick(origin, merchant)
    const backends = await Promise.all(Array.from({ length: CALLERS }, merchant.addBackend))
    const callers = backends.map((headers) => sales(origin, headers, clickId))
    const memory: number[] = []
    for (let half = 1; half <= 2; half++) {
      onProgress(`${SALES / 2} sales by npm start`)
      await report(async (caller) => callers[caller]?.(), SALES / 2)
      memory.push(memoryOfTree(second.pid))
    }
    const [middle = 0, end = 0] = memory
    table.atMost(`memory of the local system after ${SALES} sales, in MB`, Math.round(end), 1_200)
    table.atMost('  growth over the second half, in MB', Math.round(end - middle), 100)
  } finally {
    await second.stop()
    await first.stop()
  }
}

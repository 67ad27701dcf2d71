import { readdirSync, readFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10
/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has just ended.
    return ''
  }
}

const childrenOf = (pid: number): number[] => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return threads.flatMap((thread) =>
      read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}

/** CPU seconds of a process, of those below it, and of those that it has waited for. */
const cpuSeconds = (pid: number): number => {
  // After the program's name in brackets: the state, 10 more fields, user and system time, those of
  // ended children.
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
  return childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child), own)
}

/**
 * With COSTS=1, on Linux: ends the run with the files that took the most CPU time, that of
 * Postgres, workerd and Chromium included. Files that run beside each other share their costs, so
 * it wants --maxWorkers=1.
 */
export default class CostReporter implements Reporter {
  readonly #costs: { file: string; seconds: number }[] = []
  #before = 0

  /** Counts what was spent since the last call. */
  #count(file: string): void {
    if (!process.env.COSTS) return
    const now = cpuSeconds(process.pid)
    this.#costs.push({ file, seconds: now - this.#before })
    this.#before = now
  }

  onTestModuleQueued(): void {
    if (this.#costs.length === 0) this.#count('the global set-up')
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#count(relativeModuleId)
  }

  onTestRunEnd(): void {
    if (!process.env.COSTS) return
    const dearest = this.#costs.sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN)
    console.log(`CPU seconds: ${this.#before.toFixed(1)} in all, most of them in`)
    for (const { file, seconds } of dearest)
      console.log(`${seconds.toFixed(1).padStart(8)}  ${file}`)
  }
}

import { spawn, spawnSync } from 'node:child_process'
import { readIfThere } from './files.ts'

/**
 * Ends processes once Node is gone, even by kill -9: a shell waits on a pipe whose other end closes with Node, in a
 * process group of its own, so that Ctrl-C in the terminal doesn't reach it first.
 *
 * @returns a function that calls the watchdog off, when the processes have ended by themselves
 */
export const endWithNode = (pids: number[], signal: 'INT' | 'KILL'): (() => void) => {
  if (pids.length === 0) return () => {}
  const watchdog = spawn('/bin/sh', ['-c', `read -r _; kill -${signal} ${pids.join(' ')}`], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a shell, what is left behind stays until somebody ends it.
  watchdog.on('error', () => {})
  watchdog.unref()
  return () => {
    watchdog.kill()
  }
}

/** The ids of a process's children with this name; none where the system can't tell. */
export const childrenNamed = (name: string, parent = process.pid): number[] => {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('pgrep', ['-P', `${parent}`, name], { encoding: 'utf8' })
    return toPids(stdout ?? undefined)
  }
  return toPids(readIfThere(`/proc/${parent}/task/${parent}/children`)).filter(
    (pid) => readIfThere(`/proc/${pid}/comm`)?.trim() === name,
  )
}

const toPids = (text = ''): number[] => text.split(/\s+/).filter(Boolean).map(Number)

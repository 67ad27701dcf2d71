import { spawn, spawnSync } from 'node:child_process'
import { readIfThere } from './files.ts'

/**
 * Signals processes when Node ends, even by kill -9: a shell waits on a pipe that closes with Node.
 * It has its own process group, so that Ctrl-C doesn't reach it first.
 *
 * @returns cancels the watchdog, for use after the processes have ended
 */
export const endWithNode = (pids: number[], signal: 'INT' | 'KILL'): (() => void) => {
  if (pids.length === 0) return () => {}
  const watchdog = spawn('/bin/sh', ['-c', `read -r _; kill -${signal} ${pids.join(' ')}`], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a shell there is no watchdog: the processes then outlive a killed Node.
  watchdog.on('error', () => {})
  watchdog.unref()
  return () => {
    watchdog.kill()
  }
}

/** The pids of a process's children with this name; empty where the system can't list them. */
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

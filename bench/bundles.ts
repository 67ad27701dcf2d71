/** The Workers as they are deployed, and how large they are. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { ROOT } from '../dev/workers.ts'

export type Bundle = { script: string; gzipBytes: number }

/** Builds one Worker just as the deployment does. */
export const buildWorker = (env: string): Bundle => {
  const folder = `${ROOT}.wrangler/bench/${env}`
  execFileSync('wrangler', ['deploy', '--env', env, '--dry-run', '--outdir', folder], {
    cwd: ROOT,
    stdio: 'ignore',
  })
  const script = readFileSync(`${folder}/${env}.js`, 'utf8')
  return { script, gzipBytes: gzipSync(script, { level: 9 }).length }
}

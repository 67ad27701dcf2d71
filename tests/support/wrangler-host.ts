/**
 * The real wrangler, loaded once for many commands: each process of its own takes a second to load
 * it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ROOT } from '../../dev/root.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/**
 * Starts a process that runs the commands of the wranglers that have its `env`. These start as
 * ever, and end with its output and exit code. They have no terminal, and can't be interrupted: for
 * that, start wrangler itself.
 */
export const startWranglerHost = async () => {
  const child = spawn(process.execPath, [here('wrangler-host.mjs')], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [url] = await once(child.stdout.setEncoding('utf8'), 'data')
  return {
    env: {
      NODE_OPTIONS: `--import=${pathToFileURL(here('wrangler-client.mjs'))}`,
      WRANGLER_HOST: String(url).trim(),
    },
    stop: async () => {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

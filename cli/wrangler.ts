/** Runs wrangler, Cloudflare's command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../dev/root.ts'
import { readIfThere } from '../dev/runtime/files.ts'

/** Started by the running Node: on Windows, the command `wrangler` is a script for its shell, which Node doesn't find. */
const SCRIPT = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')

/** What a run of wrangler printed, if it was captured, and why it failed, if it did. */
type Outcome = {
  stdout: string
  /** With stderr, in order. */
  output: string
  failure?: { code: number | undefined; message: string }
}

type Wrangler = (args: string[], options?: { capture: boolean }) => Promise<Outcome>

/** A line of the file in which wrangler reports what it did. */
type Report = { type: string; code?: number; message?: string }

const failureIn = (reports: string): NonNullable<Outcome['failure']> => {
  const failed = reports
    .split('\n')
    .filter(Boolean)
    .map((line): Report => JSON.parse(line))
    .find(({ type }) => type === 'command-failed')
  return { code: failed?.code, message: failed?.message ?? 'It did not say why.' }
}

/**
 * Runs wrangler. Its output goes to the terminal, where it may ask: without a terminal, it would replace the DNS records of a
 * custom domain unasked.
 *
 * @param capture returns what it prints instead
 */
export const wrangler: Wrangler = async (args, { capture } = { capture: false }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-wrangler-'))
  const reports = join(folder, 'reports.ndjson')
  try {
    const child = spawn(process.execPath, [SCRIPT, ...args], {
      cwd: ROOT,
      env: {
        // Each wrangler would compile itself anew.
        NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node-compile'),
        ...process.env,
        WRANGLER_OUTPUT_FILE_PATH: reports,
      },
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    })
    const [stdout, output]: [Buffer[], Buffer[]] = [[], []]
    child.stdout?.on('data', (part: Buffer) => stdout.push(part) && output.push(part))
    child.stderr?.on('data', (part: Buffer) => output.push(part))
    const [status] = await once(child, 'close')
    const printed = { stdout: Buffer.concat(stdout).toString(), output: Buffer.concat(output).toString() }
    return status === 0 ? printed : { ...printed, failure: failureIn(readIfThere(reports) ?? '') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Whether wrangler may act for a Cloudflare account. A token that may not read who it belongs to counts, too. */
export const isSignedIn = async (): Promise<boolean> => {
  const { stdout } = await wrangler(['whoami', '--json'], { capture: true })
  return !/"loggedIn":\s*false/.test(stdout)
}

/** An account that has never opened the page of Workers has no subdomain of workers.dev, and takes no Worker. */
const NO_SUBDOMAIN = 10063

/** What to do about a failure that wrangler's message doesn't explain. */
export const adviceFor = ({ code }: { code: number | undefined }): string =>
  code === NO_SUBDOMAIN
    ? 'Your Cloudflare account has no workers.dev subdomain yet. Open https://dash.cloudflare.com/?to=/:account/workers/onboarding, choose one, and run this command again.'
    : 'See the output above. Fix the cause, and run this command again.'

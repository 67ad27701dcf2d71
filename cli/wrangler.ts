/** Runs wrangler, Cloudflare's command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../dev/root.ts'
import { readIfThere } from '../dev/runtime/files.ts'

/**
 * Started by the running Node: on Windows, the command `wrangler` is a script for its shell, which
 * Node doesn't find.
 */
const SCRIPT = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')

type Failure = { code: number | undefined; message: string }

/** What a run of wrangler printed, if it was captured, and why it failed, if it did. */
type Outcome = {
  stdout: string
  /** With stderr, in order. */
  output: string
  failure?: Failure
  /**
   * Whether a Worker was uploaded. Without a failure, it was not if a question of wrangler was
   * answered "no".
   */
  uploaded: boolean
}

type Wrangler = (args: string[], options?: { capture: boolean }) => Promise<Outcome>

/** A line of the file in which wrangler reports what it did. */
type Report = { type: string; code?: number; message?: string; version_id?: string | null }

const readReports = (file: string): Report[] =>
  (readIfThere(file) ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const failureIn = (reports: Report[]): Failure => {
  const failed = reports.find(({ type }) => type === 'command-failed')
  return { code: failed?.code, message: failed?.message ?? 'It did not say why.' }
}

/**
 * Runs wrangler. Its output goes to the terminal, where it may ask: without a terminal, it would
 * replace the DNS records of a custom domain unasked.
 *
 * @param capture returns what it prints instead
 */
export const wrangler: Wrangler = async (args, { capture } = { capture: false }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-wrangler-'))
  const reportsFile = join(folder, 'reports.ndjson')
  try {
    const child = spawn(process.execPath, [SCRIPT, ...args], {
      cwd: ROOT,
      env: {
        // Each wrangler would compile itself anew.
        NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node-compile'),
        // With the banner, it looks for a newer version each time. This one is pinned.
        WRANGLER_HIDE_BANNER: 'true',
        ...process.env,
        WRANGLER_OUTPUT_FILE_PATH: reportsFile,
      },
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    })
    const end = () => child.kill()
    process.once('exit', end)
    const [stdout, output]: [Buffer[], Buffer[]] = [[], []]
    child.stdout?.on('data', (part: Buffer) => stdout.push(part) && output.push(part))
    child.stderr?.on('data', (part: Buffer) => output.push(part))
    const [status] = await once(child, 'close')
    process.off('exit', end)
    const reports = readReports(reportsFile)
    return {
      stdout: Buffer.concat(stdout).toString(),
      output: Buffer.concat(output).toString(),
      uploaded: reports.some(({ type, version_id }) => type === 'deploy' && version_id !== null),
      ...(status !== 0 && { failure: failureIn(reports) }),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Whether wrangler may act for a Cloudflare account. A token that may not read who it belongs to
 * counts, too.
 */
export const isSignedIn = async (): Promise<boolean> => {
  const { stdout } = await wrangler(['whoami', '--json'], { capture: true })
  return !/"loggedIn":\s*false/.test(stdout)
}

/**
 * An account that has never opened the page of Workers has no subdomain of workers.dev, and takes
 * no Worker.
 */
const NO_SUBDOMAIN = 10063

/** A binding names a Worker, or its environment, that doesn't exist. */
const UNKNOWN_WORKER = [10143, 10144]

export const isUnknownWorker = (failure: Failure | undefined): boolean =>
  failure?.code !== undefined && UNKNOWN_WORKER.includes(failure.code)

/** What to do about a failure that wrangler's message doesn't explain. */
export const adviceFor = ({ code }: Failure): string =>
  code === NO_SUBDOMAIN
    ? 'Your Cloudflare account has no workers.dev subdomain yet. Open https://dash.cloudflare.com/?to=/:account/workers/onboarding, choose one, and run this command again.'
    : 'See the output above. Fix the cause, and run this command again.'

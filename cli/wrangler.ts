/** Runs wrangler, Cloudflare's command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../dev/root.ts'
import { readIfThere } from '../dev/runtime/files.ts'

/**
 * Run by this Node: on Windows, the command `wrangler` is a shell script, which Node does not find.
 */
const SCRIPT = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')

type Failure = { code: number | undefined; message: string }

/** The captured output of wrangler, and why it failed, if it did. */
type Outcome = {
  stdout: string
  /** Stdout and stderr, in order. */
  output: string
  failure?: Failure
  /** Whether a Worker was uploaded. If not, and without a failure, a question was answered "no". */
  uploaded: boolean
}

type Wrangler = (args: string[], options?: { capture: boolean }) => Promise<Outcome>

/** A line of wrangler's report file. */
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
 * Runs wrangler in the terminal, where it may ask questions: without one, it would replace the DNS
 * records of a custom domain.
 * @param capture returns the output instead
 */
export const wrangler: Wrangler = async (args, { capture } = { capture: false }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-wrangler-'))
  const reportsFile = join(folder, 'reports.ndjson')
  try {
    const child = spawn(process.execPath, [SCRIPT, ...args], {
      cwd: ROOT,
      env: {
        // Otherwise each run compiles wrangler again.
        NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node-compile'),
        // The banner looks for a newer version. This one is pinned.
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

/** Whether wrangler is signed in to Cloudflare. A token that may not read its owner counts too. */
export const isSignedIn = async (): Promise<boolean> => {
  const { stdout } = await wrangler(['whoami', '--json'], { capture: true })
  return !/"loggedIn":\s*false/.test(stdout)
}

/**
 * An account that has never opened the Workers page has no workers.dev subdomain, and accepts no
 * Worker.
 */
const NO_SUBDOMAIN = 10063

/** A binding names a Worker or an environment that does not exist. */
const UNKNOWN_WORKER = [10143, 10144]

export const isUnknownWorker = (failure: Failure | undefined): boolean =>
  failure?.code !== undefined && UNKNOWN_WORKER.includes(failure.code)

/** The remedy for a failure. */
export const adviceFor = ({ code }: Failure): string =>
  code === NO_SUBDOMAIN
    ? 'Your Cloudflare account has no workers.dev subdomain yet. Open https://dash.cloudflare.com/?to=/:account/workers/onboarding, choose one, and run this command again.'
    : 'See the output above. Fix the cause, and run this command again.'

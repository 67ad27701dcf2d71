import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

type BrowserOptions = {
  /** Leave `navigator.webdriver` true, as it is in a merchant's own browser tests. */
  automated?: boolean
  /** More command line arguments, such as `--host-resolver-rules=MAP shop.example 127.0.0.1`. */
  args?: string[]
}

/**
 * Starts a headless browser: the Chromium that comes from npm on Linux x64, and the installed
 * Chrome elsewhere.
 *
 * @example
 * const browser = await launchBrowser()
 * const page = await browser.newPage()
 */
export const launchBrowser = async ({
  automated = false,
  args = [],
}: BrowserOptions = {}): Promise<Browser> =>
  chromium.launch({
    ...(process.platform === 'linux' && process.arch === 'x64'
      ? await npmChromium()
      : { channel: 'chrome' }),
    args: [
      '--no-sandbox', // the sandbox needs user namespaces, which root and most containers lack
      '--disable-gpu',
      // No requests of the browser's own during a test.
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-quic',
      // navigator.webdriver is false for visitors, and the snippet ignores automated browsers.
      ...(automated ? [] : ['--disable-blink-features=AutomationControlled']),
      ...args,
    ],
  })

/** Chromium from npm, with the libraries and the font that a bare Linux lacks. */
const npmChromium = async (): Promise<LaunchOptions> => {
  const folder = await unpacked()
  const libraries = [join(folder, 'al2023/lib'), process.env.LD_LIBRARY_PATH]
    .filter(Boolean)
    .join(':')
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: libraries,
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
  }
  return { executablePath: join(folder, 'chromium'), env }
}

/**
 * The folder with the unpacked Chromium, one for each version and user. The package unpacks itself
 * into the temporary folder and mistakes another process's half-written file for a finished one. So
 * it runs in its own process with its own temporary folder, which is then renamed: the first
 * process wins, and the others use its result.
 */
const unpacked = async (): Promise<string> => {
  const manifest = new URL('../../package.json', import.meta.resolve('@sparticuz/chromium'))
  const { version } = JSON.parse(await readFile(manifest, 'utf8'))
  const uid = process.getuid?.()
  const folder = join(tmpdir(), `tributary-chromium-${version}-${uid}`)
  if (existsSync(join(folder, 'chromium'))) {
    // The temporary folder is writable by everybody, and this program is about to be executed.
    if (statSync(folder).uid !== uid)
      throw new Error(`${folder} belongs to another user. Remove it.`)
    return folder
  }

  const mine = await mkdtemp(`${folder}-`)
  await promisify(execFile)(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      'await (await import("@sparticuz/chromium")).default.executablePath()',
    ],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      // The package unpacks its libraries (NSS and its dependencies) only on Lambda.
      env: { ...process.env, TMPDIR: mine, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
    },
  )
  await writeFile(join(mine, 'fonts.conf'), fontsConf(folder))
  try {
    await rename(mine, folder)
  } catch (error) {
    await rm(mine, { recursive: true, force: true })
    if (!existsSync(join(folder, 'chromium'))) throw error
  }
  return folder
}

/**
 * The machine's fonts, or the package's Open Sans where there are none: without a font, pages show
 * no text.
 */
const fontsConf = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`

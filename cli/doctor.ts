/**
 * `npm run doctor -- https://shop.example --via maya`: opens a site through a partner's link, and says what the snippet does there. Exit
 * code 1: something is wrong. Exit code 2: the check could not run.
 */
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../dev/runtime/browser.ts'
import { counted } from '../lib/plural.ts'
import { linkWith } from '../lib/slugs.ts'
import { reportOn, toText } from './site-report.ts'
import { visitSite } from './site-visit.ts'

const [WRONG, FAILED] = [1, 2]

const USAGE = `Usage: npm run doctor -- <address> [--via <slug>] [--consent]

  <address>      a page of your site, such as https://shop.example
  --via <slug>   the slug of an active partner; leave it out if the address has one, such as https://shop.example/?ref=maya
  --consent      call tributary.consent(), as your banner does when the visitor agrees

It opens the page once in a browser of its own, and records one click of the partner.`

/** The page to open, or what is wrong with the command line. */
const readCommand = (): { url: string; givesConsent: boolean } | { problem: string } => {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        via: { type: 'string' },
        consent: { type: 'boolean', default: false },
        help: { type: 'boolean' },
      },
    })
    if (values.help) return { problem: '' }
    const [address, ...others] = positionals
    if (!address || others.length > 0) return { problem: 'Give one address.' }
    const page = URL.parse(/^https?:\/\//.test(address) ? address : `https://${address}`)
    if (!page) return { problem: `${address} is no address.` }
    if (!values.via && page.search === '' && page.hash === '')
      return { problem: 'Give a partner’s slug: --via maya.' }
    return { url: values.via ? linkWith(page, values.via) : page.href, givesConsent: values.consent }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

const launch = async (): Promise<Browser | null> => {
  try {
    return await launchBrowser()
  } catch (error) {
    console.error(
      `No browser could be started. On Linux x64 it comes with npm; elsewhere, install Google Chrome.\n${(error as Error).message}`,
    )
    return null
  }
}

const command = readCommand()
if ('problem' in command) {
  if (command.problem) console.error(`${command.problem}\n`)
  console[command.problem ? 'error' : 'log'](USAGE)
  process.exitCode = command.problem ? FAILED : 0
} else {
  console.log(`Opening ${command.url}, which records one click.\n`)
  const browser = await launch()
  if (browser) {
    const lines = reportOn(await visitSite(browser, command.url, command.givesConsent))
    await browser.close()
    const wrong = lines.filter(({ state }) => state === 'wrong').length
    console.log(toText(lines))
    console.log(wrong === 0 ? '\nNothing is wrong.' : `\n${counted(wrong, 'check')} failed.`)
    process.exitCode = wrong === 0 ? 0 : WRONG
  } else process.exitCode = FAILED
}

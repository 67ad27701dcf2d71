/**
 * `npm run doctor -- https://shop.example --via maya`: opens a site through a partner’s link, and
 * reports what the snippet does. `npm run doctor -- --mail`: checks the DNS records of the sender
 * of mails. `npm run doctor -- --stripe`: reports event types that the endpoints of the workspaces
 * in DATABASE_URL lack. Exit code 1: a check failed. Exit code 2: the check could not run.
 */
import { readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../dev/runtime/browser.ts'
import { connect } from '../lib/db/connection.ts'
import type { DatabaseEnv } from '../lib/db/neon.ts'
import { listEndpoints } from '../lib/purchases/stripe/setup.queries.ts'
import { counted } from '../lib/values/plural.ts'
import { linkWith } from '../lib/values/slugs.ts'
import { ledgerOf } from './database.ts'
import { readMailRecords, systemResolver } from './mail-records.ts'
import { domainOf, reportOnMail } from './mail-report.ts'
import { type Line, reportOn, toText } from './site-report.ts'
import { visitSite } from './site-visit.ts'
import { reportOnStripe } from './stripe-report.ts'

const [WRONG, FAILED] = [1, 2]

const USAGE = `Usage: npm run doctor -- <address> [--via <slug>] [--consent]
       npm run doctor -- --mail [--from <sender>] [--dns <server>]
       npm run doctor -- --stripe

  <address>      a page of your site, such as https://shop.example
  --via <slug>   the slug of an active partner; leave it out if the address has one, such as https://shop.example/?ref=maya
  --consent      call tributary.consent(), as your banner does when the visitor agrees

It opens the page once in a browser of its own, and records one click of the partner.

  --mail            checks SPF, DKIM and DMARC of the sender, without sending anything
  --from <sender>   the sender, such as partners@shop.example; MAIL_FROM of .prod.vars if left out
  --dns <server>    the DNS server to ask, such as 1.1.1.1; those of this machine if left out

  --stripe          checks whether event types are missing among the received Stripe events, in DATABASE_URL or a running npm start`

type Command =
  | { url: string; givesConsent: boolean }
  | { from: string; dns: string[] }
  | { database: DatabaseEnv }
  | { problem: string }

/** The command, or the problem of the command line. */
const readCommand = (): Command => {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        via: { type: 'string' },
        consent: { type: 'boolean', default: false },
        mail: { type: 'boolean', default: false },
        stripe: { type: 'boolean', default: false },
        from: { type: 'string' },
        dns: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean' },
      },
    })
    if (values.help) return { problem: '' }
    if (values.stripe) {
      const database = ledgerOf(process.env)
      return database
        ? { database }
        : { problem: 'Set DATABASE_URL=postgresql://..., or start the demo first, with npm start.' }
    }
    if (values.mail) {
      const from = values.from ?? senderOfInstallation()
      const isSender = from && positionals.length === 0
      return isSender
        ? { from, dns: values.dns }
        : { problem: 'Give a sender: --from partners@shop.example.' }
    }
    const [address, ...others] = positionals
    if (!address || others.length > 0) return { problem: 'Give one address.' }
    const page = URL.parse(/^https?:\/\//.test(address) ? address : `https://${address}`)
    if (!page) return { problem: `${address} is not an address.` }
    if (!values.via && page.search === '' && page.hash === '')
      return { problem: 'Give a partner’s slug: --via maya.' }
    return {
      url: values.via ? linkWith(page, values.via) : page.href,
      givesConsent: values.consent,
    }
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

const senderOfInstallation = (): string => {
  try {
    return parseEnv(readFileSync('.prod.vars', 'utf8')).MAIL_FROM ?? ''
  } catch {
    return ''
  }
}

/** Prints the lines, and sets the exit code. */
const finish = (lines: Line[]): void => {
  const wrong = lines.filter(({ state }) => state === 'wrong').length
  console.log(toText(lines))
  console.log(wrong === 0 ? '\nNothing is wrong.' : `\n${counted(wrong, 'check')} failed.`)
  process.exitCode = wrong === 0 ? 0 : WRONG
}

const checkMail = async (from: string, dns: string[]): Promise<void> => {
  const domain = domainOf(from)
  if (!domain) {
    console.error(`${from} is not a sender.`)
    process.exitCode = FAILED
    return
  }
  console.log(`Reading the records of ${domain}.\n`)
  finish(reportOnMail(await readMailRecords(systemResolver(dns), domain, ['resend', 'cloudflare'])))
}

const checkStripe = async (database: DatabaseEnv): Promise<void> => {
  try {
    finish(reportOnStripe(await listEndpoints(connect(database), new Date())))
  } catch (error) {
    console.error(`The events could not be read. ${(error as Error).message}`)
    process.exitCode = FAILED
  }
}

const command = readCommand()
if ('problem' in command) {
  if (command.problem) console.error(`${command.problem}\n`)
  console[command.problem ? 'error' : 'log'](USAGE)
  process.exitCode = command.problem ? FAILED : 0
} else if ('database' in command) await checkStripe(command.database)
else if ('from' in command) await checkMail(command.from, command.dns)
else {
  console.log(`Opening ${command.url}, which records one click.\n`)
  const browser = await launch()
  if (browser) {
    const lines = reportOn(await visitSite(browser, command.url, command.givesConsent))
    await browser.close()
    finish(lines)
  } else process.exitCode = FAILED
}

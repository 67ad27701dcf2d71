/**
 * What `npm run doctor -- --mail` reports about the DNS records of a sender: one line for each check,
 * and what to do.
 */
import type { Answer, MailRecords, Provider, ProviderRecords } from './mail-records.ts'
import { type Line, ok, warning, wrong } from './site-report.ts'

/** The domain of a sender, such as `Acme <partners@acme.com>`; null if it is none. */
export const domainOf = (sender: string): string | null => {
  const [, address = sender] = /<([^<>]+)>\s*$/.exec(sender) ?? []
  const domain = address.trim().split('@')[1]?.toLowerCase()
  return domain && /^([a-z0-9-]+\.)+[a-z0-9-]+$/.test(domain) ? domain : null
}

const DASHBOARDS: Record<Provider, string> = {
  resend: 'Resend lists the record under Domains',
  cloudflare: 'Cloudflare lists the record under Email Sending',
}

/** A record that could not be read: what to look up by hand. */
const unread = (
  name: string,
  type: 'TXT' | 'MX',
  record: string,
  wanted: string,
  error: string,
): Line =>
  warning(
    name,
    `could not be read (${error})`,
    `Look it up elsewhere: dig +short ${type} ${record} must have ${wanted}.`,
  )

/** The tags of a record such as `v=DMARC1; p=none`. */
const tagsOf = (record: string): Map<string, string> =>
  new Map(
    record.split(';').flatMap((part) => {
      const [name = '', ...value] = part.split('=')
      return name.trim() ? [[name.trim().toLowerCase(), value.join('=').trim()] as const] : []
    }),
  )

const spfLine = ({ provider, spf: { name, wants, answer } }: ProviderRecords): Line => {
  if ('error' in answer) return unread('SPF', 'TXT', name, wants, answer.error)
  const records = answer.values.filter((value) => /^v=spf1(\s|$)/i.test(value))
  const [record] = records
  const fix = `${DASHBOARDS[provider]}: ${name} TXT "v=spf1 ${wants} ~all".`
  if (record === undefined) return wrong('SPF', `${name} has none`, fix)
  if (records.length > 1) return wrong('SPF', `${name} has ${records.length}, so none counts`, fix)
  if (!record.toLowerCase().split(/\s+/).includes(wants))
    return wrong('SPF', `${record} lacks ${wants}`, fix)
  if (/\s\+?all(\s|$)/i.test(record)) return wrong('SPF', `${record} lets everybody send`, fix)
  return ok('SPF', `${name}: ${record}`)
}

const dkimLine = ({ provider, dkim: { name, answer } }: ProviderRecords): Line => {
  if ('error' in answer) return unread('DKIM', 'TXT', name, 'a key, p=...', answer.error)
  const keys = answer.values.filter((value) => tagsOf(value).has('p'))
  const fix = `${DASHBOARDS[provider]}. Copy it as it is.`
  if (keys.length === 0) return wrong('DKIM', `${name} has no key`, fix)
  return keys.some((key) => tagsOf(key).get('p') === '')
    ? wrong('DKIM', `${name} has a revoked key`, fix)
    : ok('DKIM', `${name} has a key`)
}

const bounceLine = ({ provider, mx: { name, answer } }: ProviderRecords): Line => {
  if ('error' in answer)
    return unread('Bounces', 'MX', name, 'a server of the provider', answer.error)
  return answer.values.length > 0
    ? ok('Bounces', `${name}: ${answer.values.join(', ')}`)
    : wrong('Bounces', `${name} has no MX record, so bounces are lost`, `${DASHBOARDS[provider]}.`)
}

const recordsIn = (answer: Answer): string[] =>
  'error' in answer ? [] : answer.values.filter((value) => /^v=DMARC1\s*(;|$)/i.test(value))

/** The record of the domain, or of the nearest parent that has one. */
const dmarcLine = ({ domain, dmarc }: MailRecords): Line => {
  const name = 'DMARC'
  const fix = `Add _dmarc.${domain} TXT "v=DMARC1; p=none; rua=mailto:you@${domain}". Once the reports show only your own mail, change p to quarantine or reject.`
  const found = dmarc.find(({ answer }) => 'error' in answer || recordsIn(answer).length > 0)
  if (!found) return wrong(name, `_dmarc.${domain} has none`, fix)
  if ('error' in found.answer)
    return unread(name, 'TXT', found.name, 'v=DMARC1 with a policy, p=...', found.answer.error)
  const records = recordsIn(found.answer)
  const [record = ''] = records
  if (records.length > 1)
    return wrong(name, `${found.name} has ${records.length}, so none counts`, fix)
  const tags = tagsOf(record)
  const policy = tags.get('p')?.toLowerCase() ?? ''
  if (!['none', 'quarantine', 'reject'].includes(policy))
    return wrong(name, `${record} has no policy`, fix)
  if (tags.get('aspf')?.toLowerCase() === 's' && tags.get('adkim')?.toLowerCase() === 's')
    return warning(
      name,
      `${record} is strict for SPF, which the provider cannot meet: DKIM alone has to pass`,
      'Leave out aspf=s.',
    )
  if (!tags.get('rua'))
    return warning(
      name,
      `${record} asks for no reports`,
      `Add rua=mailto:you@${domain}: Yahoo asks for it, and the reports show who sends in your name.`,
    )
  return ok(name, `${found.name}: ${record}`)
}

const wrongOf = (lines: Line[]): number => lines.filter(({ state }) => state === 'wrong').length

/** The checks of one sender, for the provider with the fewest failures: only one has to work. */
export const reportOnMail = (records: MailRecords): Line[] => {
  const ofProviders = records.providers
    .map((found) => [spfLine(found), dkimLine(found), bounceLine(found)])
    .sort((a, b) => wrongOf(a) - wrongOf(b))
  return [...(ofProviders[0] ?? []), dmarcLine(records)]
}

/** Reads the DNS records that mail from a domain needs: SPF, DKIM and DMARC. */
import { Resolver } from 'node:dns/promises'

/** The records of a name, whose parts are joined, or the error. */
export type Answer = { values: string[] } | { error: string }

/** The part of `node:dns` that is used, with the system's servers or others. */
export type MailResolver = {
  resolveTxt: (name: string) => Promise<string[][]>
  resolveMx: (name: string) => Promise<{ exchange: string; priority: number }[]>
}

export type Provider = 'resend' | 'cloudflare'

/** The names of each provider's records. Cloudflare's DKIM selector is from its documentation. */
const NAMES: Record<Provider, { bounces: string; selector: string; spf: string }> = {
  resend: { bounces: 'send', selector: 'resend', spf: 'include:amazonses.com' },
  cloudflare: {
    bounces: 'cf-bounce',
    selector: 'cf-bounce',
    spf: 'include:_spf.mx.cloudflare.net',
  },
}

export type ProviderRecords = {
  provider: Provider
  /** The domain of the envelope, whose SPF counts. */
  spf: { name: string; wants: string; answer: Answer }
  dkim: { name: string; answer: Answer }
  /** Where bounces go. */
  mx: { name: string; answer: Answer }
}

export type MailRecords = {
  domain: string
  dmarc: { name: string; answer: Answer }[]
  providers: ProviderRecords[]
}

/** Codes for a name without such a record. */
const ABSENT = ['ENOTFOUND', 'ENODATA']

const answer = async (reading: Promise<string[]>): Promise<Answer> => {
  try {
    return { values: await reading }
  } catch (error) {
    const { code } = error as { code?: unknown }
    return ABSENT.includes(String(code)) ? { values: [] } : { error: String(code ?? error) }
  }
}

/** Slow servers are asked twice. */
export const systemResolver = (servers: string[] = []): MailResolver => {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

/**
 * The domain and its parents, which may have the DMARC record: "mail.shop.example" and
 * "shop.example".
 */
const withParents = (domain: string): string[] => {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}

/** Reads the records of a sender's domain concurrently. @param providers those that may send */
export const readMailRecords = async (
  resolver: MailResolver,
  domain: string,
  providers: readonly Provider[],
): Promise<MailRecords> => {
  const txt = (name: string) =>
    answer(resolver.resolveTxt(name).then((records) => records.map((parts) => parts.join(''))))
  const [dmarc, found] = await Promise.all([
    Promise.all(
      withParents(domain).map(async (parent) => {
        const name = `_dmarc.${parent}`
        return { name, answer: await txt(name) }
      }),
    ),
    Promise.all(
      providers.map(async (provider): Promise<ProviderRecords> => {
        const { bounces, selector, spf } = NAMES[provider]
        const envelope = `${bounces}.${domain}`
        const key = `${selector}._domainkey.${domain}`
        const [ofSpf, ofDkim, ofMx] = await Promise.all([
          txt(envelope),
          txt(key),
          answer(
            resolver.resolveMx(envelope).then((records) => records.map(({ exchange }) => exchange)),
          ),
        ])
        return {
          provider,
          spf: { name: envelope, wants: spf, answer: ofSpf },
          dkim: { name: key, answer: ofDkim },
          mx: { name: envelope, answer: ofMx },
        }
      }),
    ),
  ])
  return { domain, dmarc, providers: found }
}

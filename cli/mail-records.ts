/** Reads the DNS records that mail from a domain needs: SPF, DKIM and DMARC. */
import { Resolver } from 'node:dns/promises'

/**
 * The records of a name, of which a long one may come in parts; an error if they could not be read.
 */
export type Answer = { values: string[] } | { error: string }

/**
 * What is read of DNS. `node:dns` is one, which asks the system's servers or those that are named.
 */
export type MailResolver = {
  resolveTxt: (name: string) => Promise<string[][]>
  resolveMx: (name: string) => Promise<{ exchange: string; priority: number }[]>
}

export type Provider = 'resend' | 'cloudflare'

/**
 * Where each provider has its records. The DKIM selector of Cloudflare is that of its
 * documentation.
 */
const NAMES: Record<Provider, { bounces: string; selector: string; spf: string }> = {
  resend: { bounces: 'send', selector: 'resend', spf: 'include:amazonses.com' },
  cloudflare: {
    bounces: 'cf-bounce',
    selector: 'cf-bounce',
    spf: 'include:_spf.mx.cloudflare.net',
  },
}

/** What was found for one provider. */
export type ProviderRecords = {
  provider: Provider
  /** The domain of the envelope, below the sender's, whose SPF counts. */
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

/** Names that have no such record: no error, but an answer. */
const ABSENT = ['ENOTFOUND', 'ENODATA']

const answer = async (reading: Promise<string[]>): Promise<Answer> => {
  try {
    return { values: await reading }
  } catch (error) {
    const { code } = error as { code?: unknown }
    return ABSENT.includes(String(code)) ? { values: [] } : { error: String(code ?? error) }
  }
}

/** Servers that answer slowly are asked once more. */
export const systemResolver = (servers: string[] = []): MailResolver => {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

/**
 * The domain and those above it, which a DMARC record may be of: of "mail.shop.example" that and
 * "shop.example".
 */
const withParents = (domain: string): string[] => {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}

/** The records of a sender's domain, all read at once. @param providers those that may send */
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

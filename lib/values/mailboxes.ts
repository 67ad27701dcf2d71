/**
 * Which addresses are one mailbox, according to mail providers. At other domains, a dot or a plus
 * may be another person. For comparison only: mails go to the original address.
 */

type Provider = {
  /** The first one represents all of them. */
  domains: string[]
  /** Text after a plus sign is a tag. */
  tags?: true
  /** Dots in the name do not matter. */
  dots?: true
  /** `anything@name.domain` is the mailbox `name@domain`. */
  subdomains?: true
}

const sameDomains = (names: string[], tlds: string[]): string[] =>
  names.flatMap((name) => tlds.map((tld) => `${name}.${tld}`))

const PROVIDERS: Provider[] = [
  // Dots: support.google.com/mail/answer/7436150. Tags: support.google.com/mail/answer/22370.
  // googlemail.com: support.google.com/mail/answer/10313. Not for Google Workspace, where dots
  // matter.
  { domains: ['gmail.com', 'googlemail.com'], tags: true, dots: true },
  // One mailbox under up to three domains: support.apple.com/118230. Tags:
  // support.apple.com/guide/icloud.
  { domains: ['icloud.com', 'me.com', 'mac.com'], tags: true },
  // Tags, and proton.me, pm.me and the former domains as one account:
  // proton.me/support/addresses-and-aliases.
  { domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'], tags: true },
  // fastmail.help: "Plus addressing and subdomain addressing".
  { domains: ['fastmail.com'], tags: true, subdomains: true },
  { domains: ['fastmail.fm'], tags: true, subdomains: true },
  // Tags: learn.microsoft.com, "Plus addressing". Each of the domains has mailboxes of its own.
  ...sameDomains(
    ['outlook', 'hotmail', 'live'],
    ['com', 'de', 'fr', 'es', 'it', 'nl', 'co.uk', 'jp', 'com.br'],
  )
    .concat('msn.com')
    .map((domain): Provider => ({ domains: [domain], tags: true })),
]

const providerOf = (domain: string): Provider | undefined =>
  PROVIDERS.find(({ domains }) => domains.includes(domain))

/**
 * The address without a tag. At a domain that is not listed, that may be another person.
 * @param email normalized, as `normalizeEmail` does
 */
export const withoutTag = (email: string): string => email.replace(/^([^+@]+)\+[^@]*@/, '$1@')

/**
 * The address that represents all addresses of its mailbox.
 * @param email normalized, as `normalizeEmail` does
 */
export const mailboxOf = (email: string): string => {
  const at = email.lastIndexOf('@')
  const [name, domain] = [email.slice(0, at), email.slice(at + 1)]
  const parent = domain.slice(domain.indexOf('.') + 1)
  const above = providerOf(parent)
  if (above?.subdomains && domain !== parent)
    return `${domain.slice(0, -parent.length - 1)}@${above.domains[0]}`
  const provider = providerOf(domain)
  if (!provider) return email
  const untagged = provider.tags ? (name.split('+')[0] ?? name) : name
  return `${provider.dots ? untagged.replaceAll('.', '') : untagged}@${provider.domains[0]}`
}

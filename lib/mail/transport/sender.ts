/** The sender of mails as mail programs show it: the merchant "via" this installation. */
import { oneLine } from '../texts/rendered-mail.ts'

export type Address = { name: string; email: string }

/** The name of an installation whose sender has none. */
const OUR_NAME = 'Tributary'

/** Longer names are cut by mail programs, and would hide that of the installation. */
const MAX_NAME_LENGTH = 60

/** Names of those who move money, under which a merchant could ask for passwords. */
const TRUSTED_NAMES = ['stripe', 'paypal', 'payoneer', 'tributary']

/** Invisible characters, with which a name could look like another one. */
const INVISIBLE = /[\p{Cf}\p{Co}\p{Cn}\p{Mn}\u115F\u1160\u3164\uFFA0]/gu

/** `Name <address>` in parts. An address alone has no name. */
const readSender = (from: string): Address => {
  const [, name = '', email] = /^"?([^"<]*?)"? *<([^<>]+)>$/.exec(from.trim()) ?? []
  return { name, email: email ?? from.trim() }
}

/** The words in lower case, without characters by which one word can imitate another. */
const words = (text: string): string[] => {
  const plain = text.normalize('NFKD').replace(INVISIBLE, '').toLowerCase()
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.replace(/[1iı]/g, 'l').replace(/0/g, 'o'),
  )
}

/** Whether one word has letters of several scripts, as in "Pаypal" with a Cyrillic letter. */
const mixesScripts = (word: string): boolean =>
  [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u].filter((script) =>
    script.test(word),
  ).length > 1

/**
 * A merchant's name as it may stand before an address; null for one that would pass as an address,
 * as somebody who is trusted with money, or as this installation. Characters that mean something in
 * a header are left out.
 */
const displayName = (merchant: string, ours: string): string | null => {
  if (/@|https?:|www\.|\S\.[a-z]{2,}\b/i.test(merchant.normalize('NFKC'))) return null
  const named = words(merchant)
  const trusted = [...TRUSTED_NAMES, ours].map((name) => words(name).join(''))
  const isTrusted = [...named, named.join('')].some((word) => trusted.includes(word))
  if (named.length === 0 || isTrusted || named.some(mixesScripts)) return null
  const name = oneLine(
    merchant
      .normalize('NFC')
      .replace(/\p{Cf}/gu, '')
      .replace(/["\\<>()[\]:;,]/g, ' '),
  )
  return [...name].slice(0, MAX_NAME_LENGTH).join('').trim()
}

/**
 * The sender, such as `Pine Notes via Tributary`; without a merchant, or for a refused name, only
 * the installation.
 *
 * @param from `Name <address>`, or an address
 * @param merchant the name of a workspace
 */
export const senderOf = (from: string, merchant?: string): Address => {
  const { name, email } = readSender(from)
  const shown = merchant ? displayName(merchant, name) : null
  return { name: shown ? `${shown} via ${name || OUR_NAME}` : name, email }
}

/** The same in one line: `Name <address>`. */
export const senderLine = (from: string, merchant?: string): string => {
  const { name, email } = senderOf(from, merchant)
  return merchant && name ? `${name} <${email}>` : from
}

/**
 * Domains of email addresses. One domain can be written in letters, `müller.example`, and in ASCII,
 * `xn--mller-kva.example` (Punycode); browsers send the second for the first.
 */

/**
 * Domains: without characters that end a domain in a URL, and ASCII characters that no domain has.
 */
const NAMES = /^[a-z\d\-\P{ASCII}]+(?:\.[a-z\d\-\P{ASCII}]+)*$/u

/** Characters that join letters in some alphabets, and are ignored elsewhere. */
const JOINERS = /[\u200c\u200d]/g

/** By UTS 46, as browsers do. */
const hostOf = (domain: string): string | null => {
  const host = URL.parse(`http://${domain}`)?.hostname ?? ''
  return NAMES.test(host) ? host : null
}

/**
 * A domain in ASCII; null if it is invalid. ASCII domains are unchanged, because URLs would read
 * numbers as IPv4 addresses. @param domain lower case
 */
export const domainInAscii = (domain: string): string | null => {
  if (!NAMES.test(domain)) return null
  if (/^\p{ASCII}+$/u.test(domain)) return domain
  return hostOf(domain) ?? hostOf(domain.replace(JOINERS, ''))
}

/**
 * Labels that are shown in letters. They use one alphabet, because a Cyrillic letter between Latin
 * ones may look Latin. They do not consist only of Cyrillic letters that look Latin.
 */
const READABLE =
  /^(?:[\p{sc=Latn}\p{M}\p{N}-]+|[\p{sc=Grek}\p{M}\p{N}-]+|(?![асԁеһіјӏорԛѕԝхуүҽ\d-]+$)[\p{sc=Cyrl}\p{M}\p{N}-]+|(?!.*[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}])[\p{L}\p{M}\p{N}-]+)$/u

/**
 * Shows an ASCII domain in letters, label by label. Labels that are not readable stay in Punycode.
 */
export const domainInLetters = (domain: string): string =>
  domain.includes('xn--') ? decodeDomain(domain) : domain

const decodeDomain = (domain: string): string =>
  domain
    .split('.')
    .map((label) => {
      const letters = label.startsWith('xn--') ? decodePunycode(label.slice(4)) : null
      return letters && READABLE.test(letters) && hostOf(letters) === label ? letters : label
    })
    .join('.')

/** The longest label of a domain, in characters. */
const MAX_LABEL_LENGTH = 63

/** RFC 3492, sections 5 and 6. @returns null if the code is invalid */
const decodePunycode = (code: string): string | null => {
  if (code.length > MAX_LABEL_LENGTH) return null
  const end = code.lastIndexOf('-')
  const found = [...code.slice(0, Math.max(end, 0))]
  let [at, point, bias, next] = [0, 128, 72, end + 1]
  while (next < code.length) {
    const start = at
    for (let weight = 1, k = 36; ; k += 36) {
      const digit = Number.parseInt(code[next++] ?? '', 36)
      // Punycode's digits are a to z, then 0 to 9.
      const value = digit < 10 ? digit + 26 : digit - 10
      if (Number.isNaN(value)) return null
      at += value * weight
      const threshold = Math.min(Math.max(k - bias, 1), 26)
      if (value < threshold) break
      weight *= 36 - threshold
    }
    const length = found.length + 1
    let delta = Math.floor((at - start) / (start === 0 ? 700 : 2))
    delta += Math.floor(delta / length)
    let k = 0
    for (; delta > 455; k += 36) delta = Math.floor(delta / 35)
    bias = k + Math.floor((36 * delta) / (delta + 38))
    point += Math.floor(at / length)
    at %= length
    if (point > 0x10ffff) return null
    found.splice(at++, 0, String.fromCodePoint(point))
  }
  return found.join('')
}

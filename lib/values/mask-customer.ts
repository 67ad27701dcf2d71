/** Masks customers for partners: enough to distinguish two, not enough to identify one. */

const HIDDEN = '•••'

/**
 * The first characters, at most half of the text. By code points, so that no surrogate pair is
 * split.
 */
const beginning = (text: string, max: number): string => {
  const characters = [...text]
  return characters.slice(0, Math.min(max, Math.floor(characters.length / 2))).join('')
}

const initial = (text: string): string => [...text][0] ?? ''

/**
 * Masks an email address except for initials and the top-level domain, or an id except for two characters.
 *
 * @param customer an email address or an id of the merchant
 *
 * @example
 * maskCustomer('ann@example.com') // 'a•••@e•••.com'
 * maskCustomer('user_812')        // 'us•••'
 */
export const maskCustomer = (customer: string): string => {
  const at = customer.lastIndexOf('@')
  if (at < 1) return beginning(customer, 2) + HIDDEN
  const domain = customer.slice(at + 1)
  const dot = domain.lastIndexOf('.')
  const ending = dot > 0 ? domain.slice(dot) : ''
  return `${initial(customer)}${HIDDEN}@${initial(domain)}${HIDDEN}${ending}`
}

/** Customers as partners may see them: enough to tell two apart, too little to know either. */

const HIDDEN = '•••'

/** The first few characters of a text, never more than half of it. By code points: half a character is none. */
const beginning = (text: string, most: number): string => {
  const characters = [...text]
  return characters.slice(0, Math.min(most, Math.floor(characters.length / 2))).join('')
}

/** The first character, which of an e-mail address is shown even when there is no other. */
const initial = (text: string): string => [...text][0] ?? ''

/**
 * A customer, masked. An address keeps its initials and what its domain ends in; any other id keeps two characters.
 *
 * @param customer an e-mail address or the merchant's id, which may be an address too
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

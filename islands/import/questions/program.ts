import { byId } from '../dom.ts'

/**
 * @property tag the tag of its snippet
 * @property creditsCustomers whether a sale without a click is credited to the customer's partner
 */
export type Program = { name: string; siteUrl: string; tag: string; creditsCustomers: boolean }

/** A program that the page offers; null if it no longer exists. */
export const programOf = (id: string): Program | null => {
  const option = [...byId('import-program', HTMLSelectElement).options].find(
    ({ value }) => value === id,
  )
  const { site = '', tag = '', credits } = option?.dataset ?? {}
  return option
    ? { name: option.textContent.trim(), siteUrl: site, tag, creditsCustomers: credits === 'true' }
    : null
}

/** IBANs: ISO 13616. */
import { isValidIBAN } from 'ibantools'

/** Removes the spaces that people type, and upper-cases the rest. */
export const normalizeIban = (text: string): string => text.replace(/\s+/g, '').toUpperCase()

/**
 * Whether a normalized text is an IBAN: in the form of its country, with correct check digits, also
 * those of the country's own account number where it has any.
 */
export const isIban = (iban: string): boolean => isValidIBAN(iban)

/** The country of an IBAN: ISO 3166, upper case. */
export const ibanCountry = (iban: string): string => iban.slice(0, 2)

/**
 * The countries and territories in the geographical scope of SEPA, by the prefix of their IBANs.
 * ibantools 4.5 lacks the five that have joined since 2024: AL, MD, ME, MK, RS.
 */
const SEPA = new Set(
  `AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI
   SK SM VA`.split(/\s+/),
)

/** Whether a SEPA credit transfer reaches the IBANs of a country. */
export const isSepaCountry = (country: string): boolean => SEPA.has(country)

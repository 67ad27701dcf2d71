/** IBANs: ISO 13616. */

/** The length of an IBAN by country, from the IBAN registry. */
const LENGTHS = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24
   FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
   LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24
   RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
)

/** Removes the spaces that people type, and upper-cases the rest. */
export const normalizeIban = (text: string): string => text.replace(/\s+/g, '').toUpperCase()

/**
 * ISO 7064, MOD 97-10: the first four characters last, letters as 10 to 35, in steps that stay
 * exact.
 */
const remainder = (iban: string): number =>
  [...`${iban.slice(4)}${iban.slice(0, 4)}`].reduce((sum, char) => {
    const value = Number.parseInt(char, 36)
    return (sum * (value > 9 ? 100 : 10) + value) % 97
  }, 0)

/** Whether a normalized text has the length of its country and a correct checksum. */
export const isIban = (iban: string): boolean =>
  /^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban) &&
  LENGTHS.get(iban.slice(0, 2)) === iban.length &&
  remainder(iban) === 1

/** The country of an IBAN: ISO 3166, upper case. */
export const ibanCountry = (iban: string): string => iban.slice(0, 2)

/**
 * The countries and territories in the geographical scope of SEPA, by the prefix of their IBANs.
 */
const SEPA = new Set(
  `AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI
   SK SM VA`.split(/\s+/),
)

/** Whether a SEPA credit transfer reaches the IBANs of a country. */
export const isSepaCountry = (country: string): boolean => SEPA.has(country)

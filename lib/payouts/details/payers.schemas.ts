/** Requests about who pays in the name of a workspace, for the API and the page. */
import * as z from 'zod'
import { line, NOT_BLANK, nullWhenBlank } from '../../http/fields.ts'
import { ibanCountry, isIban, isSepaCountry, normalizeIban } from '../files/iban.ts'
import { isSepaName } from '../files/latin.ts'

const MAX_NAME = 70
const MAX_LINE = 70
const optionalLine = (maxLength: number) => line(maxLength).transform(nullWhenBlank).nullable()

/** A country, in any case; blank is none. */
const country = z
  .string('Must be a string.')
  .trim()
  .transform((text) => nullWhenBlank(text.toUpperCase()))
  .refine(
    (code) => code === null || /^[A-Z]{2}$/.test(code),
    'Must be a country code of two letters, such as DE.',
  )
  .nullable()

/** Fields of a party that documents and files name. */
const partyFields = {
  name: line(MAX_NAME)
    .min(1, NOT_BLANK)
    .meta({ description: 'As your bank and documents know it.' }),
  street: optionalLine(MAX_LINE).optional(),
  postalCode: optionalLine(16).optional(),
  city: optionalLine(35).optional(),
  country: country.optional().meta({ description: 'ISO 3166: `DE`.' }),
  vatId: optionalLine(20).optional(),
}

/** PUT /api/workspaces/:workspace/payer. Omitted fields are removed, but for the IBAN. */
export const PayerChange = z
  .strictObject({
    ...partyFields,
    name: partyFields.name.refine(isSepaName, 'Write it in Latin letters: banks take no others.'),
    iban: z
      .string('Must be a string.')
      .transform(normalizeIban)
      .refine(
        (text) => text === '' || isIban(text),
        'Not an IBAN: its length or checksum is wrong.',
      )
      .refine(
        (text) => text === '' || isSepaCountry(ibanCountry(text)),
        'The account must be in a SEPA country.',
      )
      .nullish()
      .meta({
        description:
          'The account that SEPA files are paid from. Omit it to keep the present one; null removes it.',
      }),
  })
  .meta({ id: 'PayerChange' })

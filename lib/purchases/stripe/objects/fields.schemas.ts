/** The fields that Stripe's objects share, read leniently: a detail must not refuse a sale. */
import * as z from 'zod'
import { isStripeCustomerId, isStripeId } from '../../../rules/purchases/stripe-ids.ts'
import { readEmail } from '../../../values/emails.ts'
import { MAX_ID_LENGTH } from '../../../values/external-ids.ts'
import { MAX_AMOUNT_CENTS } from '../../../values/money.ts'

export const text = z.string().min(1).max(MAX_ID_LENGTH)
/** The id of an object, which may be expanded. */
export const ref = z
  .union([text, z.object({ id: text }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null)
/** Free text. NULs and lone surrogates, which the cut may leave, would refuse a sale. */
export const words = z
  .string()
  .nullish()
  .transform(
    (value) =>
      value
        ?.trim()
        .slice(0, MAX_ID_LENGTH)
        .replace(/[\0\p{Cs}]/gu, '')
        .trim() || null,
  )
export const email = z
  .string()
  .nullish()
  .transform((value) => (value?.isWellFormed() ? readEmail(value) : null))
export const amount = z.int().min(-MAX_AMOUNT_CENTS).max(MAX_AMOUNT_CENTS)
export const currency = z
  .string()
  .regex(/^[a-z]{3}$/i)
  .transform((code) => code.toUpperCase())
/** The last second of the year 9999. Later dates have no ISO form that Postgres reads. */
const LAST_SECOND = 253_402_300_799
export const time = z
  .int()
  .min(0)
  .max(LAST_SECOND)
  .transform((seconds) => new Date(seconds * 1000))

/** A list as Stripe pages it. */
export const list = <S extends z.ZodType>(item: S) =>
  z
    .object({ data: z.array(item) })
    .nullish()
    .transform((page) => page?.data ?? [])

/** The same, with what it says of the items that it leaves out: events have the first ten. */
export const page = <S extends z.ZodType>(item: S) =>
  z
    .object({
      data: z.array(item),
      has_more: z.boolean().nullish().catch(null),
      total_count: z.int().nullish().catch(null),
    })
    .nullish()
    .catch(null)
    .transform((given) => ({
      data: given?.data ?? [],
      hasMore: given?.has_more ?? false,
      total: given?.total_count ?? null,
    }))

/** The country of an address: ISO 3166. */
export const country = z
  .object({
    country: z
      .string()
      .regex(/^[A-Z]{2}$/i)
      .transform((code) => code.toUpperCase()),
  })
  .nullish()
  .catch(null)
  .transform((address) => address?.country ?? null)

/** An id of the merchant's system; null for anything else. */
const ownId = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  .regex(/^[^\0\p{Cs}]+$/u)
  .nullish()
  .catch(null)
  .transform((id) => id ?? null)

/** See newClickId in lib/db/ids.ts. */
const CLICK_ID = /^clk_[A-Za-z0-9_]{1,200}$/

const clickId = ownId.transform((id) => (id && CLICK_ID.test(id) ? id : null))

/**
 * An id of Stripe's in place of the merchant's own would name another purchase or customer, or tie
 * all purchases of a customer, so it counts as none.
 */
const merchantsId = ownId.transform((id) =>
  id && (isStripeId(id) || isStripeCustomerId(id)) ? null : id,
)

/** What merchants state in the metadata of their objects. */
export const metadata = z
  .object({ externalId: merchantsId, customerExternalId: merchantsId, tributary_click: clickId })
  .nullish()
  .catch(null)
  .transform(
    (given) => given ?? { externalId: null, customerExternalId: null, tributary_click: null },
  )

/** What a checkout refers to: a click, else the merchant's id of the customer. */
export const reference = z.unknown().transform((given) => ({
  clickId: clickId.parse(given),
  customerExternalId: isClick(given) ? null : merchantsId.parse(given),
}))

const isClick = (given: unknown): boolean => typeof given === 'string' && given.startsWith('clk_')
